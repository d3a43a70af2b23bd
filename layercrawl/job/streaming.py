"""The `hadoop` runner: mrjob's, with one JVM a step and nothing uploaded beforehand.

Inputs and code lie on HDFS already, and the few files of a job travel with the job's own client.
What the client says is read as it comes: the application's id, so that a run that ends takes its
job with it, and how far the tasks are.
"""

from __future__ import annotations

import base64
import os
import re
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from functools import partial
from typing import Any

from mrjob.hadoop import HadoopJobRunner
from mrjob.logs.step import _interpret_hadoop_jar_command_stderr as interpreted

from layercrawl.hdfs import cures
from layercrawl.hdfs.shell import command
from layercrawl.job import yarn
from layercrawl.job.forked import TaskFailed, die_with
from layercrawl.job.watching import watched

# Hadoop's own groups of counters; the others are those of our tasks.
_HADOOPS = re.compile(
    r"(File System|Job|File (In|Out)put Format) Counters|Map-Reduce Framework|Shuffle Errors"
    r"|org\.apache\..*"
)
_APPLICATION = re.compile(r"Submitted application (application_\d+_\d+)")
_TRACKED = re.compile(r"The url to track the job: (http\S+/proxy/application_\S+)")
_PROGRESS = re.compile(r"map \d+% reduce \d+%")
_TRACE = re.compile(r"^Traceback \(most recent call last\):\n(?:[ \t].*\n|\n)*\S.*$", re.M)
_TOLD = re.compile(r"ERROR|WARN|Exception|Error|FAILED|Timed out")
_CAUSE = re.compile(r"Exception|Error:|Timed out")
_DIAGNOSED = re.compile(r"Diagnostics report from attempt\S+: (.+)")
_LOG4J = re.compile(r"^[\d-]+ [\d:,]+ [A-Z]+ \S+: ")
_REFUSED = re.compile(r"^layercrawl: (this node .*)$", re.M)  # shipment's check says it
_LINES = 200
IN_LOGS = "in logs"
"""The counter of a group whose other names are in the tasks' logs: how many these are."""
_PACKED = "packed-"
TOGETHER = "org.apache.hadoop.mapred.lib.CombineTextInputFormat"
"""Takes many small files as one task's input, where each would be a task, a JVM and a Python."""


class Streaming(HadoopJobRunner):  # type: ignore[misc]
    """Runs a job's steps by Hadoop Streaming."""

    watch: Callable[[list[str]], None] = staticmethod(lambda lines: None)
    application = ""
    _versions: dict[str, str] = {}

    def get_hadoop_bin(self) -> list[str]:
        return [command()]

    def get_hadoop_version(self) -> str:
        """The version of this machine's Hadoop, asked for once a process: it costs a JVM."""
        found = command()
        if found not in self._versions:
            self.fs.hadoop.set_hadoop_bin([found])
            self._versions[found] = super().get_hadoop_version()
        return self._versions[found]

    def counters(self) -> list[dict[str, dict[str, int]]]:
        """What each step's tasks counted."""
        return [
            {group: self._whole(group, found) for group, found in step.items() if _is_ours(group)}
            for step in super().counters()
        ]

    def _whole(self, group: str, found: dict[str, int]) -> dict[str, int]:
        """A group's counters, those too that are in the logs of the last step's tasks."""
        if not (number := found.get(IN_LOGS, 0)):
            return found
        line = re.compile(rf"^layercrawl counted {re.escape(group)}: (.+): (\d+)$", re.M)
        until = time.monotonic() + yarn.LOG_SECONDS
        while True:  # some nodes' logs may come later than others'
            told = [
                (name, int(amount)) for name, amount in line.findall(yarn.logs(self.application))
            ]
            if len(told) >= number or time.monotonic() >= until:
                return dict(told)
            time.sleep(1)

    def _jobconf_for_step(self, step_num: int) -> dict[str, str]:
        conf: dict[str, str] = super()._jobconf_for_step(step_num)
        if "reducer" not in self._get_step(step_num):
            conf["mapreduce.job.reduces"] = "0"  # whatever is set for all steps
        return conf

    @property
    def largest(self) -> int:
        """The peak memory of a task, its JVM included, in kB."""
        peaks = [
            count
            for step in super().counters()
            for name, count in step.get("Map-Reduce Framework", {}).items()
            if name.startswith("Peak ") and "Physical" in name
        ]
        return max(peaks, default=0) // 1024

    def _hadoop_args_for_step(self, step_num: int) -> list[str]:
        words: list[str] = super()._hadoop_args_for_step(step_num)
        return (
            [*words, "-inputformat", TOGETHER] if step_num else words
        )  # of the first the job says

    def _mr_job_extra_args(self, local: bool = False) -> list[str]:
        # Streaming splits a task's command at quotes and blanks by rules of its own.
        return [packed(super()._mr_job_extra_args(local))]

    def _wd_mirror(self) -> None:
        return None  # then the client takes files from this machine's disk

    def _upload_local_files(self) -> None:
        pass

    def _run_hadoop(self, hadoop_args: list[str], env: Any, record_callback: Any) -> Any:
        self.application = ""
        # In a session of its own: Ctrl-C is for the driver, which ends the job in good order. But
        # it goes with a driver that is killed, lest it submit a job when nobody looks any more.
        with subprocess.Popen(
            hadoop_args, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, start_new_session=True,
            preexec_fn=partial(die_with, os.getpid()),
        ) as client:  # fmt: skip
            said: list[str] = []
            try:
                found = interpreted(self._followed(client.stderr, said))
                code = client.wait()
            except BaseException:
                client.kill()
                self.end()
                raise
        if code:
            raise TaskFailed(*self._failure(said))
        return code, found

    def _followed(self, lines: Any, said: list[str]) -> Iterator[bytes]:
        with ExitStack() as running:
            for line in lines:
                text = line.decode(errors="replace").rstrip()
                said.append(text)
                del said[:-_LINES]
                if found := _APPLICATION.search(text):
                    self.application = found[1]
                if found := _TRACKED.search(text):
                    running.enter_context(watched(found[1], self.watch))
                if found := _PROGRESS.search(text):
                    self.watch([found[0]])
                yield line

    def _failure(self, said: list[str]) -> tuple[str, str]:
        """Why a step failed, in short, and all that is known of it."""
        log = yarn.logs(self.application) if self.application else ""
        traces = [trace[0] for trace in _TRACE.finditer(log)]
        if refused := _REFUSED.search(log):
            return refused[1], log
        if traces:
            return traces[0].splitlines()[-1], traces[0]
        why, whole = self._complaint(said), "\n".join([*said, log])
        cure = cures.cure(f"{whole}\n{why}")
        return f"{cure}, then run the same command again ({why})" if cure else why, whole

    def _complaint(self, said: list[str]) -> str:
        """What the client complains of; of tasks in one container only the master's log tells."""
        told = [line for line in said if _TOLD.search(line)] or said or ["it said nothing"]
        causes = [line for line in told if _CAUSE.search(line)]
        if not causes and self.application:
            causes = _DIAGNOSED.findall(yarn.logs(self.application, "syslog"))
        return _LOG4J.sub("", [*causes, *told][0].strip())

    def end(self) -> None:
        """Have the cluster stop the job that runs."""
        if self.application:
            with suppress(OSError):  # then the next run ends it
                yarn.end([self.application])


def _is_ours(group: str) -> bool:
    """Whether a group of counters is of our tasks."""
    return not _HADOOPS.fullmatch(group.strip())


def logged(group: str, name: str, amount: int) -> str:
    """The line of a task's log that stands for a counter.

    >>> logged("longest", "a.example 75", 2000)
    'layercrawl counted longest: a.example 75: 2000'
    """
    return f"layercrawl counted {group}: {name}: {amount}"


def packed(words: list[str]) -> str:
    r"""Any words as one that no command line harms; `unpacked` gives them back.

    >>> unpacked(["--mapper", packed(["--exclude=it's \\", "é"])])
    ['--mapper', "--exclude=it's \\", 'é']
    """
    return _PACKED + base64.urlsafe_b64encode("\0".join(words).encode()).decode().rstrip("=")


def unpacked(words: list[str]) -> list[str]:
    """The words of a command line, those that were packed too."""
    found = []
    for word in words:
        if word.startswith(_PACKED):
            text = word.removeprefix(_PACKED)
            content = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode()
            found += content.split("\0") if content else []
        else:
            found.append(word)
    return found
