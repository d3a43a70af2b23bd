"""Answers read off a socket: what is a head, how the body is framed, and when time is over."""

from __future__ import annotations

import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from layercrawl.fetch.heads import MAX_HEAD, MAX_LINES, Answer, BrokenHead, fields

CASES: dict[str, list[dict[str, Any]]] = json.loads(
    (Path(__file__).parent / "data" / "heads.json").read_text("utf-8")
)
OK = b"HTTP/1.1 200 OK\r\n"


def cases(section: str) -> Any:
    return pytest.mark.parametrize("case", CASES[section], ids=lambda case: case["description"])


def sent(data: bytes, seconds: float = 5.0, method: str = "GET") -> Answer:
    """The answer of a server that sends `data` and closes."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.settimeout(seconds)
        threading.Thread(target=send_all, args=(theirs.dup(), data), daemon=True).start()
        return Answer(ours, method=method)


def send_all(plug: socket.socket, data: bytes) -> None:
    with suppress(OSError), plug:
        plug.sendall(data)


@cases("good")
def test_good(case: dict[str, Any]) -> None:
    answer = sent(case["sent"].encode("latin-1"))
    answer.begin()
    answer.begin()  # what has begun stays as it is
    assert (answer.status, answer.version) == (case["status"], case["version"])
    assert answer.will_close is case.get("closes", False)
    assert answer.read(65536).decode() == case["body"]
    assert answer.read(65536) == b""


def test_field_values_hold_no_line_ends_and_no_nul() -> None:
    answer = sent(OK + b"A: 1\r2\r\nB: \x003\n\rgoes on\r\n\r\n")
    answer.begin()
    assert answer.headers.items() == [("A", "1 2"), ("B", "3 goes on")]


@cases("broken")
def test_broken(case: dict[str, Any]) -> None:
    answer = sent(case["sent"].encode("latin-1"))
    with pytest.raises(getattr(http.client, case["error"], BrokenHead)) as caught:
        answer.begin()
        answer.read(65536)
    assert type(caught.value).__name__ == case["error"]


def test_an_answer_to_head_has_no_body() -> None:
    answer = sent(OK + b"Content-Length: 4\r\n\r\n", method="HEAD")
    answer.begin()
    assert (answer.length, answer.read(9)) == (0, b"")


def test_many_header_lines_and_long_ones_are_read() -> None:
    lines = b"".join(b"X-%d: y\r\n" % number for number in range(MAX_LINES - 2))
    answer = sent(OK + lines + b"Long: " + b"x" * 200_000 + b"\r\n\r\n")
    answer.begin()
    assert len(answer.headers.items()) == MAX_LINES - 1
    assert len(answer.headers["Long"]) == 200_000


@pytest.mark.parametrize(
    "head",
    [
        OK + b"X: y\r\n" * (MAX_LINES + 1),
        OK + b"X: " + b"y" * MAX_HEAD,
        OK + b"X: y\r\n z\r\n" * 100_000,
        b"\n" * MAX_HEAD * 2,
        b"HTTP/1.1 100 Continue\r\n\r\n" * 100_000,
    ],
    ids=["lines", "a line", "folds", "empty lines", "interim answers"],
)
def test_heads_have_limits(head: bytes) -> None:
    start = time.process_time()
    with pytest.raises(BrokenHead):
        sent(head + b"\r\n\r\n").begin()
    assert time.process_time() - start < 10


@given(st.lists(st.binary(min_size=1, max_size=20).filter(lambda line: b"\n" not in line)))
def test_any_lines_are_fields(lines: list[bytes]) -> None:
    for name, value in fields(lines).items():
        assert name.strip(" \t") == name != ""
        assert any(name.encode("latin-1") in line for line in lines)
        assert value.strip(" \t") == value


def test_what_looks_like_a_blank_is_kept() -> None:
    lines = [b"Location: /voil\xc3\xa0", b"A\xa0: \x85", b"B:", b"\t1", b"  2"]
    expected = [("Location", "/voil\xc3\xa0"), ("A\xa0", "\x85"), ("B", " 1 2")]
    assert fields(lines).items() == expected


def drips(pause: float) -> Iterator[bytes]:
    """A server that is never silent for long."""
    for piece in (b"HTTP/1.1 200 OK\r\n", b"Transfer-Encoding: chunked\r\n", b"\r\n"):
        time.sleep(pause)
        yield piece
    while True:
        time.sleep(pause)
        yield b"1\r\nx\r\n"


@pytest.mark.parametrize("pause", [0.05, 0.4], ids=["body", "head"])
def test_drips_end_when_the_time_is_over(pause: float) -> None:
    def drip() -> None:
        with suppress(OSError), theirs:
            for piece in drips(pause):
                theirs.sendall(piece)

    ours, theirs = socket.socketpair()
    with ours:
        ours.settimeout(0.6)
        threading.Thread(target=drip, daemon=True).start()
        start = time.monotonic()
        answer = Answer(ours)
        with pytest.raises(TimeoutError):
            answer.begin()
            while answer.read(10):
                pass
        assert 0.5 < time.monotonic() - start < 3
        answer.close()


def test_what_waits_is_not_read_after_the_time() -> None:
    answer = sent(OK + b"\r\n", seconds=0.01)
    time.sleep(0.02)
    with pytest.raises(TimeoutError):
        answer.begin()
