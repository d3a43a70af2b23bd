"""A job whose lines are bytes, in and out: key TAB value, whatever they say."""

from __future__ import annotations

from typing import Any

from layercrawl.job import BytesProtocol, Job
from layercrawl.records import Page


class Lines(Job):
    """What a job of the crawl is but for its records; subclasses have the steps."""

    STAGE = "merge"
    READS = (Page,)
    WRITES = Page
    SORT_VALUES = True

    def input_protocol(self) -> Any:
        return BytesProtocol()

    def output_protocol(self) -> Any:
        return BytesProtocol()
