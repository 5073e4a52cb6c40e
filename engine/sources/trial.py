"""A process that reads a tokenizer.json and a text with it, and ends: run by its path.

It imports nothing of Headscope, so that it is there in some 50 milliseconds. What is wrong is
printed in one line, with a status above 0.
"""

import contextlib
import os
import sys

MOST_MEMORY = 4 * 2**30
"""Bytes of address space: a library that wants more is aborted."""

TEXT = "The 2nd time, it's <s>Ünïcödé</s>: 東京 \u2581 \t\n\n  if (x == 10): return 'aaaa' # ﬁ ½ 💩"


def main(path: str) -> int:
    """Try a file; return the status of the process."""
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    os.environ["RAYON_NUM_THREADS"] = "1"
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    except (ImportError, ValueError, OSError):  # Windows has no such limit, and a container's less
        pass
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(path)
        tokenizer.no_truncation()
        tokenizer.no_padding()
        with contextlib.suppress(Exception):  # a vocabulary of words lacks some: no damage
            tokenizer.decode(tokenizer.encode(TEXT, add_special_tokens=False).ids)
    except BaseException as error:  # a panic is no Exception
        sys.stdout.write(" ".join(str(error).split())[:200] or type(error).__name__)
        return 1
    return 0


if __name__ == "__main__":
    # Not by returning: what Python tidies up takes longer than the trial.
    status = main(sys.argv[1])
    sys.stdout.flush()
    os._exit(status)
