"""What asks an engine client in its tests, and an engine that never finishes by itself."""

import threading

from PySide6.QtCore import QThread

from engine.job import Cancelled
from engine.messages import RunPrompt


class Recorder:
    """An asker that remembers what it was told, and on which thread."""

    def __init__(self):
        self.received, self.failed, self.threads = [], [], []

    def receive(self, slot, request, result):
        self.received.append((slot, request))
        self.threads.append(QThread.currentThread())

    def fail(self, slot, request, failure):
        self.failed.append((slot, request, failure))
        self.threads.append(QThread.currentThread())


class Endless:
    """Works on its question until it is cancelled, counting the steps."""

    def __init__(self):
        self.begun, self.cancelled = threading.Event(), threading.Event()
        self.steps = 0

    def answer(self, request, job):
        pause = threading.Event()
        try:
            while True:
                job.step(self.steps, 0, "working")
                self.steps += 1
                self.begun.set()
                pause.wait(0.005)
        except Cancelled:
            self.cancelled.set()
            raise


class Stuck:
    """Never comes back from its first question, whoever cancels it, until it is released."""

    def __init__(self):
        self.begun, self.released = threading.Event(), threading.Event()
        self.closed = threading.Event()

    def answer(self, request, job):
        self.begun.set()
        self.released.wait(60)
        raise OSError("released")

    def close(self):
        self.closed.set()


def run(number):
    return RunPrompt("attn-2l", f"w{number}")


def idle(qtbot, client):
    qtbot.waitUntil(lambda: not client.busy)
