"""The `yarn` command: which applications of a crawl run, what their tasks wrote, and their end.

It waits for a ResourceManager that is away for a quarter of an hour, so it is given a time.
"""

from __future__ import annotations

import re
import subprocess
import time

from layercrawl.hdfs import cures
from layercrawl.hdfs.shell import command

_PATIENCE = 60.0
LOG_SECONDS = 20.0
"""How long logs are waited for, which come some time after the end of their tasks."""


def logs(application: str, file: str = "stderr") -> str:
    """What an application's containers wrote to a file; it may be some seconds until it is there.

    Empty where YARN cannot be asked.
    """
    until = time.monotonic() + LOG_SECONDS
    while True:
        try:
            text, _ = _asked("logs", "-applicationId", application, "-log_files", file)
        except OSError:
            return ""
        if "Container: " in text or time.monotonic() > until:
            return text
        time.sleep(1)


def running(tag: str) -> list[str]:
    """The applications of a tag that are not over; OSError where YARN cannot be asked."""
    states = "NEW,SUBMITTED,ACCEPTED,RUNNING"
    text, complaint = _asked("application", "-list", "-appTags", tag, "-appStates", states)
    if complaint:
        raise OSError(f"YARN cannot be asked: {cures.explained(complaint[-300:])}")
    return re.findall(r"^application_\d+_\d+", text, re.M)


def end(applications: list[str]) -> None:
    """Stop applications of the cluster; OSError where YARN does not answer."""
    if applications:
        _asked("application", "-kill", *applications)


def _asked(*words: str) -> tuple[str, str]:
    """What the command says, and where it fails, why."""
    yarn = re.sub("hadoop$", "yarn", command())  # beside `hadoop`
    try:
        ran = subprocess.run([yarn, *words], capture_output=True, check=False, timeout=_PATIENCE)
    except subprocess.TimeoutExpired:
        why = f"no answer from its ResourceManager within {_PATIENCE:.0f} s"
        raise OSError(f"YARN cannot be asked: {cures.explained(why)}") from None
    complaint = ran.stderr.decode(errors="replace").strip() or "it said nothing"
    return ran.stdout.decode(errors="replace"), complaint if ran.returncode else ""
