"""What `ask` prints, and what it keeps from being printed."""

import sys
import warnings

from engine import console


def test_libraries_are_kept_quiet_unless_verbose(capsys):
    with console.quiet(verbose=False):
        print("bar", file=sys.stderr)  # noqa: T201
        warnings.warn("noise", stacklevel=1)
    assert capsys.readouterr() == ("", "")
    with console.quiet(verbose=True):
        print("bar", file=sys.stderr)  # noqa: T201
    assert capsys.readouterr().err == "bar\n"
