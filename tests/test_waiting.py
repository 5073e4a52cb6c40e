"""What waits lets other threads run; what does not is used nowhere."""

import ast
import threading
import time
from pathlib import Path

from tests.waiting import PATIENCE_MS, pause, until

ROOT = Path(__file__).parents[1]
HOLDS = ("qWait", "qWaitForWindowActive", "qWaitForWindowExposed", "waitActive", "waitExposed")
"""Waits in C++ with the interpreter's lock held."""
SECONDS = 0.5


def counted(wait):
    """Return how far another thread counts each second while something waits."""
    count, over = 0, threading.Event()

    def run():
        nonlocal count
        while not over.is_set():
            count += 1

    thread = threading.Thread(target=run)
    begin = time.perf_counter()
    thread.start()
    wait()
    over.set()
    thread.join()
    return count / (time.perf_counter() - begin)


def test_other_threads_run_while_something_is_waited_for(qapp, qtbot):
    def looked():
        ends = time.monotonic() + SECONDS
        until(lambda: time.monotonic() > ends, "the end")

    alone = counted(lambda: time.sleep(SECONDS))
    for wait in (
        lambda: pause(round(1000 * SECONDS)),
        looked,
        lambda: qtbot.wait(round(1000 * SECONDS)),
    ):
        # With the lock held it is less than a hundredth; the machine may do other things too.
        assert counted(wait) > alone / 8


def test_a_wait_that_a_test_does_not_limit_is_as_patient_as_all_others(qtbot):
    for wait in (qtbot.waitUntil, qtbot.waitSignal):
        assert wait.keywords == {"timeout": PATIENCE_MS}


def test_nothing_waits_with_the_interpreters_lock_held():
    for room in ("tests", "docs", "benchmarks"):
        for path in (ROOT / room).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                used = node.attr if isinstance(node, ast.Attribute) else ""
                assert used not in HOLDS, f"{path.relative_to(ROOT)}:{node.lineno} uses {used}"
