"""Processes that play jobs, each one at a time, so that no job can hold up or bring down another one.

::

    stdin ─ a job a line ─ Pool ─┬─ worker ─ play ─┬─ an answer a line ─ stdout
                                 └─ worker ─ play ─┘

The SDK is imported once, by the parent, which then forks a worker whenever a job finds none that is free. A worker
writes its answer, and an empty line when it is free again. One that dies, or is late although it has deadlines of its
own, costs its own job only.
"""

import os
import selectors
import signal
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass

from . import exact, job, lines
from .answer import Answer, PeerError
from .exact import Unsupported
from .job import Job

OVERTIME = 15.0
"""Time that a job may take beyond the sum of its deadlines: it also ends a session and waits for changes."""

BLOCK = 1 << 16

Work = Callable[[Job, Callable[[Answer], None]], None]
"""Plays a job, and says its answer."""


@dataclass
class Worker:
    """A worker, as its parent has it."""

    pid: int
    jobs: int
    answers: int
    unread: bytes = b""
    job: Job | None = None
    """Job without an answer yet."""
    is_free: bool = False
    overdue: float = 0.0
    """When it has taken too long."""


class Pool:
    """The workers of one client adapter."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._workers: list[Worker] = []
        self._selector = selectors.DefaultSelector()
        self._unread = b""
        self._is_open = True

    def serve(self) -> None:
        """Has jobs played until the input ends and every worker is free."""
        self._selector.register(0, selectors.EVENT_READ)
        while self._is_open or not all(worker.is_free for worker in self._workers):
            for key, _ in self._selector.select(self._time_left()):
                if key.data is None:
                    self._read_jobs()
                else:
                    self._read_answers(key.data)
            for worker in list(self._workers):
                if not worker.is_free and time.monotonic() > worker.overdue:
                    os.kill(worker.pid, signal.SIGKILL)
                    self._remove(worker, PeerError("timeout", "the SDK did not end"))

    def _time_left(self) -> float | None:
        """Returns the time until the next worker is overdue."""
        ends = [worker.overdue for worker in self._workers if not worker.is_free]
        return max(0.0, min(ends) - time.monotonic()) if ends else None

    def _read_jobs(self) -> None:
        block = os.read(0, BLOCK)
        if not block:
            self._is_open = False
            self._selector.unregister(0)
        *whole, self._unread = (self._unread + block).split(b"\n")
        for line in whole:
            if line.strip():
                self._begin(line)

    def _begin(self, line: bytes) -> None:
        try:
            told = job.read(exact.read(line))
        except Unsupported as reason:
            number = exact.address(line)
            if number is not None:
                lines.say(Answer(number, unsupported=str(reason)).line())
            return
        free = (worker for worker in self._workers if worker.is_free)
        worker = next(free, None) or self._fork()
        worker.job, worker.is_free = told, False
        limit = told.connect + told.step * len(told.steps) + OVERTIME
        worker.overdue = time.monotonic() + limit
        try:
            _write(worker.jobs, line + b"\n")
        except BrokenPipeError:
            pass  # it is dead, which its answers tell

    def _read_answers(self, worker: Worker) -> None:
        block = os.read(worker.answers, BLOCK)
        if not block:
            self._remove(worker, PeerError("connect", "the SDK ended its process"))
            return
        *whole, worker.unread = (worker.unread + block).split(b"\n")
        for line in whole:
            if line:
                worker.job = None
                lines.write(line.decode())
            else:
                worker.is_free = True

    def _remove(self, worker: Worker, error: PeerError) -> None:
        self._selector.unregister(worker.answers)
        self._workers.remove(worker)
        os.close(worker.jobs)
        os.close(worker.answers)
        os.waitpid(worker.pid, 0)
        if worker.job is not None:
            lines.say(Answer(worker.job.id, error=error).line())

    def _fork(self) -> Worker:
        jobs_end, jobs = os.pipe()
        answers, answers_end = os.pipe()
        pid = os.fork()
        if pid == 0:
            for other in self._workers:
                os.close(other.jobs)
                os.close(other.answers)
            os.close(jobs)
            os.close(answers)
            self._selector.close()
            _live(self._work, jobs_end, answers_end)
        os.close(jobs_end)
        os.close(answers_end)
        worker = Worker(pid, jobs, answers)
        self._workers.append(worker)
        self._selector.register(answers, selectors.EVENT_READ, worker)
        return worker


def _live(work: Work, jobs: int, answers: int) -> None:
    """The life of a worker. It never returns to what its parent was doing."""
    try:
        # The contract's streams are the parent's: an SDK that prints does so into the log.
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(2, 1)

        def say(answer: Answer) -> None:
            _write(answers, exact.write(answer.line()).encode() + b"\n")

        with os.fdopen(jobs, "rb") as told:
            for line in told:
                work(job.read(exact.read(line)), say)
                _write(answers, b"\n")
        os._exit(0)
    except BaseException:  # noqa: BLE001 - whatever it was, the parent must not be played twice
        traceback.print_exc()
        os._exit(1)


def _write(file: int, data: bytes) -> None:
    while data:
        data = data[os.write(file, data) :]
