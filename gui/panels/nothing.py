"""A panel for which some models have nothing to show: it says why in plain words."""

from gui.panels.panel import Panel


class MayHaveNothing(Panel):
    """A panel whose question makes no sense for some models, which is no failure."""

    def nothing(self) -> str:
        """Return why the model in use has nothing to show here; empty where it has, or may."""
        raise NotImplementedError

    def say_failure(self) -> None:
        """Say in plain words that there is nothing, where that is why the question failed."""
        why = self.nothing()
        if not why:
            super().say_failure()
            return
        self.notice.clear()
        self.subtitle.setText("")
        self.frame.waits.set_parts([why])
        self._draw()

    def _draw(self) -> None:
        super()._draw()
        if self.nothing():
            # A picture of the model before would not be an old one but one of something else.
            self.frame.show_picture(False)
