"""What helps against what Hadoop complains of: its own words seldom say so."""

from __future__ import annotations

import re

_CURES = {
    r"SafeMode|[Ss]afe mode": "HDFS is in safe mode: see `hdfs dfsadmin -safemode get`",
    r"QuotaExceeded|could only be written to \d+ of the|No space left on device": (
        "HDFS is full, or a quota of it is used up: make room"
    ),
    r"InvalidToken|GSS ?[Ee]xception|GSS initiate failed|cannot authenticate via": (
        "no valid Kerberos ticket or token: get one by kinit"
    ),
    r"Connecting to ResourceManager at [^\n]*?(:\d+)\n(?s:.*) to \S+\1 failed on"
    r"|ApplicationClientProtocol\S* over \S+|no answer from its ResourceManager": (
        "YARN's ResourceManager does not answer: see that it runs"
    ),
}
"""What is said, as a pattern → what it comes from, and the cure."""


def cure(said: str) -> str:
    """What is the matter, and what helps; empty where nobody knows.

    >>> cure("The DiskSpace quota of /crawl is exceeded (DSQuotaExceededException)")
    'HDFS is full, or a quota of it is used up: make room'
    >>> cure("it said nothing")
    ''
    """
    return next((what for pattern, what in _CURES.items() if re.search(pattern, said)), "")


def explained(said: str) -> str:
    """What is said, after what it means; unchanged where nobody knows.

    >>> explained("mkdir: Cannot create directory /crawl. Name node is in safe mode.")[:40]
    'HDFS is in safe mode: see `hdfs dfsadmin'
    """
    found = cure(said)
    return f"{found} ({said})" if found else said
