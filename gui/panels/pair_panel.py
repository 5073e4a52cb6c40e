"""What the panels about pairs of heads share: in a model of one layer there are none."""

from gui.panels.nothing import MayHaveNothing


class PairPanel(MayHaveNothing):
    """A panel that has nothing to show where no head can read another."""

    def nothing(self) -> str:
        """Say that one layer has no pairs."""
        facts = self.facts()
        if facts is None or facts.n_layers > 1:
            return ""
        return (
            f"{facts.name} has one layer. A pair is a head that writes and a head of a later "
            "layer that reads it, so it takes a model of two layers or more, such as attn-2l."
        )
