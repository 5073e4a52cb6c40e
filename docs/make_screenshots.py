"""Take the pictures of the README: `python -m docs.make_screenshots`.

Each is the default session as `main.py --screenshot` renders it, so that a picture here is a
picture of the program as it is. Settings of the person who runs this are left alone.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
IMAGES = Path(__file__).parent / "images"
LARGEST = 300_000
"""Bytes of one picture at most: they are cloned by everybody."""

PICTURES = {
    "light.png": ("--theme", "light", "--size", "1600x1000"),
    "dark.png": ("--theme", "dark", "--size", "1600x1000"),
}


def take(name: str, options: tuple[str, ...], home: str) -> None:
    """Render one picture into docs/images.

    Raises
    ------
    subprocess.CalledProcessError
        If the program fails.
    """
    command = [sys.executable, "main.py", "--screenshot", str(IMAGES / name), *options]
    environment = os.environ | {
        "HOME": home,
        "XDG_CONFIG_HOME": home,
        "QT_QPA_PLATFORM": "offscreen",
    }
    subprocess.run(command, cwd=ROOT, env=environment, check=True)


def main() -> int:
    """Take all pictures; 1 if one of them is too large to be kept."""
    IMAGES.mkdir(exist_ok=True)
    too_large = 0
    for name, options in PICTURES.items():
        with tempfile.TemporaryDirectory() as home:
            take(name, options, home)
        size = (IMAGES / name).stat().st_size
        sys.stdout.write(f"{name}: {size / 1000:.0f} kB\n")
        too_large += size > LARGEST
    return int(too_large > 0)


if __name__ == "__main__":
    sys.exit(main())
