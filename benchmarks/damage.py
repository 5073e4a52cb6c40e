"""Open files of every kind that chance has damaged, and judge how each command ends.

`python -m benchmarks.damage --seconds 120 --seed 21` damages model folders, GGUF files, figures
and sessions in one way each and opens them as the command line does, in a process of its own that
is forked from one that has imported torch. Each has to end with status 0 or 2, within 20 seconds,
with no more than one line on standard error that says what is wrong, and in no more than twice the
memory that the whole file takes. Ctrl+C prints what it has.
"""

import argparse
import ctypes
import os
import random
import re
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

# A forked process has none of its parent's threads: there must be none that anybody waits for.
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"):
    os.environ[name] = "1"
os.environ |= {"TOKENIZERS_PARALLELISM": "false", "HF_HUB_OFFLINE": "1"}

from benchmarks.damage_cases import damage  # noqa: E402
from benchmarks.damage_files import Original, Words, make, originals  # noqa: E402

LONGEST_SECONDS = 20.0
TWICE = 2
SAID = re.compile(r"headscope: [^\x00-\x1f\x7f]+\n")
"""The line that says what is wrong."""
LONGEST_LINE = 2_000
END_WITH_PARENT = 1
"""Linux's number for asking to be sent a signal when the parent ends."""


class Ended(NamedTuple):
    """How a command ended."""

    status: int
    """Exit status; below 0, the signal that ended it."""
    said: str
    seconds: float
    peak: int
    """Kilobytes of memory that it held at most, the parent's own among them."""


def run(words: Words, place: Path) -> Ended:
    """Run a command line in a forked process, its output kept in a folder."""
    began = time.monotonic()
    child = os.fork()
    if child == 0:
        os._exit(_in_child(words, place))
    usage = None
    while usage is None:
        ended, status, used = os.wait4(child, os.WNOHANG)
        if ended:
            usage = used
        elif time.monotonic() - began > LONGEST_SECONDS:
            os.killpg(child, signal.SIGKILL)
            _, status, usage = os.wait4(child, 0)
        else:
            time.sleep(0.005)
    seconds = time.monotonic() - began
    said = (place / "stderr").read_text(encoding="utf-8", errors="replace")
    return Ended(os.waitstatus_to_exitcode(status), said, seconds, usage.ru_maxrss)


def _in_child(words: Words, place: Path) -> int:
    os.setpgid(0, 0)
    ctypes.CDLL(None).prctl(END_WITH_PARENT, signal.SIGKILL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (2**33 + 2**20,) * 2)
    for number, name in ((1, "stdout"), (2, "stderr")):
        os.dup2(os.open(place / name, os.O_CREAT | os.O_WRONLY | os.O_TRUNC), number)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    import main

    try:
        return main.main(words)
    except BaseException:
        import traceback

        traceback.print_exc()
        return 99
    finally:
        sys.stdout.flush()
        sys.stderr.flush()


def faults(ended: Ended, whole: Ended) -> list[str]:
    """Return what is wrong with how a command ended; nothing where all is well."""
    found = []
    if ended.seconds > LONGEST_SECONDS:
        found.append("hangs")
    elif ended.status < 0:
        found.append(f"signal {-ended.status}")
    elif ended.status not in (0, 2):
        found.append(f"status {ended.status}")
    if ended.status == 2 and not SAID.fullmatch(ended.said):
        found.append("not one line")
    if "Traceback" in ended.said:
        found.append("traceback")
    if max(map(len, ended.said.splitlines()), default=0) > LONGEST_LINE:
        found.append("too long a line")
    if ended.peak > TWICE * whole.peak:
        found.append(f"{ended.peak // 1024:,} MB instead of {whole.peak // 1024:,}")
    return found


def import_all() -> None:
    """Import what every command would import for itself."""
    import gguf  # noqa: F401
    import torch

    import engine.engine
    import engine.loading.native
    import gui.figures.command  # noqa: F401
    import main  # noqa: F401
    from engine import Engine

    assert Engine
    assert engine
    torch.set_num_threads(1)


class Corpus:
    """Counts of what was opened, and how it ended."""

    def __init__(self, folder: Path, seed: int) -> None:
        self._folder, self._seed = folder, seed
        self._whole: dict[str, Ended] = {}
        self.ends: Counter[tuple[str, str]] = Counter()
        self.faults: list[str] = []

    def prepare(self) -> list[Original]:
        """Write the originals, and open each as it is."""
        kept = self._folder / "whole"
        kept.mkdir()
        # In a process of its own: nothing that it imports or keeps is the judged ones'.
        child = os.fork()
        if child == 0:
            try:
                make(kept, lambda words: run(words, self._folder).status)
                os._exit(0)
            except BaseException:
                import traceback

                traceback.print_exc()
                os._exit(1)
        if os.waitpid(child, 0)[1]:
            raise RuntimeError("the whole files could not be made")
        made = originals(kept)
        for original in made:
            ended = run(original.command(original.path), self._folder)
            if ended.status:
                raise RuntimeError(f"a whole {original.kind} does not open: {ended.said}")
            self._whole[original.kind] = ended
        return made

    def judge(self, number: int, made: list[Original]) -> None:
        """Damage one file and open it; the same number does the same again."""
        chance = random.Random(f"{self._seed} {number}")
        original = chance.choice(made)
        place = self._folder / "case"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        path, done = damage(original, place, chance)
        ended = run(original.command(path), self._folder)
        end = {0: "opened", 2: "refused"}.get(ended.status, "fault")
        wrong = faults(ended, self._whole[original.kind])
        self.ends[original.kind, "fault" if wrong else end] += 1
        if wrong:
            line = f"{number}: {original.kind}, {done}: {', '.join(wrong)}: {ended.said[-600:]!r}"
            self.faults.append(line)
            print(line, flush=True)

    def table(self) -> str:
        """Return how many of each kind were opened, refused, or ended as nothing should."""
        kinds = sorted({kind for kind, _ in self.ends})
        ends = ("opened", "refused", "fault")
        lines = [f"{'':12}" + "".join(f"{end:>9}" for end in ends)]
        lines += [
            f"{kind:12}" + "".join(f"{self.ends[kind, end]:9,}" for end in ends) for kind in kinds
        ]
        total = sum(self.ends.values())
        return "\n".join([*lines, f"{total:,} damaged files, {len(self.faults):,} faults"])


def main() -> int:
    """Damage files until there were enough of them or the time is over; 1 if anything is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--files", type=int, default=1_000, help="how many at most")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="how long at most")
    parser.add_argument("--first", type=int, default=0, help="number of the first one")
    parser.add_argument("--kind", nargs="*", help="some kinds only, such as gguf")
    given = parser.parse_args()
    import_all()
    with tempfile.TemporaryDirectory() as name:
        corpus = Corpus(Path(name).resolve(), given.seed)
        try:
            made = corpus.prepare()
            made = [it for it in made if not given.kind or it.kind in given.kind]
            end = time.monotonic() + given.seconds
            for number in range(given.first, given.first + given.files):
                if time.monotonic() > end:
                    break
                corpus.judge(number, made)
        except KeyboardInterrupt:
            print("stopped")
        print(f"seed {given.seed}\n{corpus.table()}", flush=True)
        return int(bool(corpus.faults))


if __name__ == "__main__":
    sys.exit(main())
