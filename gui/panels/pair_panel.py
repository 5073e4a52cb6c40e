"""What the panels about pairs of heads share: in a model of one layer there are none."""

from gui.panels.panel import Panel


class PairPanel(Panel):
    """A panel that has nothing to show where no head can read another."""

    def say_failure(self) -> None:
        """Say in plain words that one layer has no pairs."""
        facts = self.facts()
        if facts is None or facts.n_layers > 1:
            super().say_failure()
            return
        self.notice.clear()
        self.subtitle.setText("")
        self.frame.waits.set_parts(
            [
                f"{facts.name} has one layer. A pair is a head that writes and a head of a later "
                "layer that reads it, so it takes a model of two layers or more, such as attn-2l."
            ]
        )
        self._draw()

    def _draw(self) -> None:
        super()._draw()
        facts = self.facts()
        if facts is not None and facts.n_layers == 1:
            # A picture of the model before would not be an old one but one of something else.
            self.frame.show_picture(False)
