"""What an annotated field of an options class says for its check, its control and its flag."""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar, get_type_hints

from engine.messages import Refused

T = TypeVar("T")


class Range(NamedTuple):
    """The numbers that a field can be, and their unit."""

    noun: str
    low: float
    high: float
    unit: str

    def check(self, value: Any) -> None:
        """Refuse another value in a sentence."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise Refused(f"the {self.noun} of a figure is a number of {self.unit}, not {value!r}")
        if not self.low <= value <= self.high:
            raise Refused(
                f"a {self.noun} of {value:g} {self.unit}: choose {self.low:g} to {self.high:g}"
            )


class Values(NamedTuple):
    """The names that a field can be."""

    noun: str
    names: tuple[str, ...]

    def check(self, value: Any) -> None:
        """Refuse another value in a sentence."""
        if not isinstance(value, str) or value not in self.names:
            raise Refused(f"there is no {self.noun} {value!r}: there are {', '.join(self.names)}")


class Control(NamedTuple):
    """The control of a field in a form: label, accessible name, suffix and step of a number."""

    label: str
    name: str
    suffix: str = ""
    step: float = 1


class Flag(NamedTuple):
    """A flag of a command line: one that takes a word, or one that sets `switch`."""

    flag: str
    metavar: str
    help: str
    read: Callable[[str], Any] = str
    write: Callable[[Any], str] = str
    switch: Any = None


def annotations(kind: type, trait: type[T]) -> dict[str, T]:
    """Return what the fields of a class say of one kind, such as Flag, by their names."""
    hints = get_type_hints(kind, include_extras=True)
    return {
        name: one
        for name, hint in hints.items()
        for one in getattr(hint, "__metadata__", ())
        if isinstance(one, trait)
    }


def number(flag: str, kind: type[int | float] = float) -> Callable[[str], float]:
    """Return a reader of numbers whose refusal names the flag."""

    def read_number(text: str) -> float:
        try:
            return kind(text)
        except ValueError:
            called = "a whole number" if kind is int else "a number"
            raise Refused(f"{flag} is {called}, not {text!r}") from None

    return read_number
