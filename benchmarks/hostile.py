"""Pages made to hurt a parser: seconds and peak memory of each through parse and XML.

Each runs in a process of its own.

usage: python benchmarks/hostile.py
"""

from __future__ import annotations

import gc
import subprocess
import sys
import time
from collections.abc import Callable

from layercrawl import xmldoc
from layercrawl.job import OBJECTS
from layercrawl.outlinks import outlinks
from layercrawl.peak import peak_mb
from layercrawl.records import Page, Target
from layercrawl.rules import Rules

MB = 1_000_000
URL = "http://a.example/"
PAGES: dict[str, Callable[[], str]] = {
    "an ordinary page": lambda: "<p>text <a href=x>link</a>" * 600,
    "10 MB of nested <ul><li>": lambda: "<ul><li>" * (10 * MB // 8),
    "10 MB of nested <div>, closed": lambda: "<div>" * (MB * 10 // 11) + "</div>" * (MB * 10 // 11),
    "10 MB of <p><b>": lambda: "".join(f"<p><b id=b{n}>" for n in range(MB // 2)),
    "500,000 links": lambda: "".join(f'<a href="/{n}">{n}</a> ' for n in range(500_000)),
    "one attribute of 20 MB": lambda: f'<p title="{"x" * 20 * MB}">',
    "one link of 20 MB": lambda: f'<a href="/{"x" * 20 * MB}">a</a>',
    "200,000 attributes on one tag": lambda: (
        "<p " + " ".join(f"a{n}=1" for n in range(200_000)) + ">"
    ),
    "one comment of 20 MB, unclosed": lambda: "<!--" + "x" * 20 * MB,
    "5 MB of <": lambda: "<" * 5 * MB,
    "20 MB of text": lambda: "word " * (4 * MB),
}


def parse(html: str) -> int:
    """The number of links found by what ParserDriver does."""
    page = Page(Target(), "ok", status=200, encoding="utf-8", html=html)
    return len(outlinks(URL, page, Rules("site", frozenset({"a.example"})), "layercrawl").links)


def to_xml(html: str) -> int:
    """The length of what HtmlToXmlDriver makes."""
    return len(xmldoc.to_xml(html, url=URL))


STEPS = {"parse": parse, "XML": to_xml}


def measure(name: str, step: str) -> None:
    """Print one page's figures for a step: CPU seconds, the process's peak memory, the result."""
    html = PAGES[name]()
    gc.set_threshold(OBJECTS)  # as in a job
    start = time.process_time()
    result = STEPS[step](html)
    took = time.process_time() - start
    print(f"{name:32} {step:6} {took:8.2f} {peak_mb():9.0f} {result:12,}", flush=True)


def main() -> None:
    """Print the table; a page that takes over a minute is ended and named."""
    print(f"{'page':32} {'step':6} {'CPU s':>8} {'peak MB':>9} {'links, chars':>12}", flush=True)
    for name in PAGES:
        for step in STEPS:
            words = [sys.executable, __file__, name, step]
            try:
                subprocess.run(words, check=True, timeout=60)
            except subprocess.SubprocessError as error:
                print(f"{name:32} {step:6} {type(error).__name__}")


if __name__ == "__main__":
    measure(*sys.argv[1:]) if len(sys.argv) > 1 else main()
