"""What the running tasks of a job on a cluster say, asked of its application master over HTTP."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import requests

Watch = Callable[[list[str]], None]
_SECONDS = 2.0
_STATUS = re.compile(r"\{.*\}")
"""A task's own line; Hadoop puts the task's phase after it."""
_FAILURES = 5
"""In a row: then there is no way to that page from here, or only with a ticket."""


@contextmanager
def watched(url: str, watch: Watch) -> Iterator[None]:
    """Call `watch` with the tasks' newest status lines every two seconds, from a thread.

    `url` is where the job can be tracked, as its client says it.
    """
    over = threading.Event()
    threading.Thread(target=_look, args=(tasks_of(url), watch, over), daemon=True).start()
    try:
        yield
    finally:
        over.set()


def _look(url: str, watch: Watch, over: threading.Event) -> None:
    failures = 0
    with requests.Session() as session:
        session.trust_env = False  # no proxy, no .netrc
        while failures < _FAILURES and not over.wait(_SECONDS):
            try:
                found = statuses(session.get(url, timeout=5).json())
            except (requests.RequestException, KeyError, TypeError):
                failures += 1
            else:
                failures = 0
                if not over.is_set():
                    watch(found)


def tasks_of(url: str) -> str:
    """Where a job's tasks are listed.

    >>> tasks_of("http://rm.example:8088/proxy/application_1_2/")
    'http://rm.example:8088/proxy/application_1_2/ws/v1/mapreduce/jobs/job_1_2/tasks'
    """
    application = url.rstrip("/").rpartition("/")[2]
    job = application.replace("application", "job")
    return f"{url.rstrip('/')}/ws/v1/mapreduce/jobs/{job}/tasks"


def statuses(answer: Any) -> list[str]:
    """The status lines in an answer about a job's tasks; KeyError or TypeError where it is none.

    >>> statuses({"tasks": {"task": [{"status": '{"ok":7} > reduce'}, {"status": "map"}]}})
    ['{"ok":7}']
    """
    told = [task["status"] for task in answer["tasks"]["task"]]
    return [found[0] for status in told if (found := _STATUS.search(status))]
