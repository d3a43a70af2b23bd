"""A whole crawl of a hostile web and a good one: every URL accounted for, in bounded time and room.

What bounds the time: a request takes --timeout at most, so a layer ends --timeout after its
--layer-minutes at the latest.
"""

from __future__ import annotations

import datetime
import json
import socket
import ssl
from contextlib import ExitStack

import pytest
import trustme

from tests import crawling, naming
from tests.raw_server import page, raw_server
from tests.web import Web, serve
from tests.web.hostile import Hostile
from tests.web.hostile import serve as serve_hostile
from tests.web.hostile.redirects import LOOKUPS, OUTSIDE

TIMEOUT = 2
LAYER_SECONDS = 30
DEPTH = 2
MOST_MB = 300
OWN_SECONDS = 10
"""What a layer may cost beside waiting, on a slow and busy machine."""
GOOD = tuple(f"good-{number}.good.test" for number in range(8))
SETTINGS = [
    f"--timeout={TIMEOUT}", "--retries=0", "--delay=0", "--scope=site", "--max-bytes=2000000",
]  # fmt: skip
"""--retries=0: each answer is waited for once."""


def run(root, *words):
    """The code of a run of the driver among the hostile web's names, and what it said."""
    return crawling.crawl(root, *words, program=naming.program(LOOKUPS), options=SETTINGS)


def told(record):
    reason = record.get("reason", "")
    if reason.startswith("robots.txt unreachable: "):  # by what, differs with the machine
        reason = "robots.txt unreachable"
    return record["outcome"], reason, record.get("truncated", False)


def costs(root, stage):
    """What each layer of a stage cost, by its marker."""
    return [_cost(folder) for folder in sorted((root / stage).glob("layer-*"))]


def _cost(folder):
    return json.loads((folder / "_MARKER.json").read_bytes())["cost"]


def outgrown(root):
    """The folders that a process of over 300 MB made, of all five jobs'."""
    sizes = {
        str(folder.relative_to(root)): _cost(folder)["rss_mb"] for folder in crawling.folders(root)
    }
    assert {"doc/merged", "xml", "in/layer-000", "doc/layer-000", "out/layer-000"} <= sizes.keys()
    return {name: size for name, size in sizes.items() if not 0 < size < MOST_MB}


@pytest.fixture(scope="module")
def crawl(tmp_path_factory):
    """The hostile web, the good one, the root of a finished crawl of both, and what it said."""
    root, logs = tmp_path_factory.mktemp("root"), tmp_path_factory.mktemp("logs")
    good = Web(hosts=GOOD, port=0, degree=2, depth=2)
    with (
        serve_hostile(Hostile("hostile.test"), logs / "hostile") as hostile,
        serve(good, logs / "good", bind="127.0.0.1") as good,
    ):
        guests = [f"http://bücher.hostile.test:{hostile.port}/", f"http://[::1]:{hostile.port}/"]
        words = [
            f"--depth={DEPTH}",
            f"--layer-minutes={LAYER_SECONDS / 60}",
            *hostile.seeds,
            *guests,
        ]
        code, said = run(root, *words, *good.seeds, *(f"http://{h}:{good.port}/" for h in GOOD))
    assert code == 0, said
    return hostile, good, root, logs, said


@pytest.fixture(scope="module")
def found(crawl):
    return crawling.answers(crawl[2])


@pytest.mark.slow
def test_each_hostile_url_has_its_one_right_answer(crawl, found):
    expected = crawl[0].expected()
    wrong = {url: told(found[url]) if url in found else None for url in expected}
    assert {url: x for url, x in wrong.items() if x != tuple(expected[url])} == {}
    others = [url for url in found.keys() - expected.keys() if ".hostile.test" in url]
    others = [url for url in others if "//xn--" not in url]
    assert {url for url in others if "//trap-" not in url} == set()
    assert {found[url]["outcome"] for url in others} == {"ok"}


def test_every_target_has_one_answer(crawl):
    root = crawl[2]
    for folder in sorted((root / "doc").glob("layer-*")):
        asked = sorted(
            (u, t.get("kind", "")) for u, t in crawling.records(root / "in" / folder.name)
        )
        answered = [(u, p["target"].get("kind", "")) for u, p in crawling.records(folder)]
        assert len(answered) == len(set(answered))
        assert set(asked) <= set(answered)


def test_names_beyond_ascii_and_addresses_of_version_6_are_hosts(crawl, found):
    port = crawl[0].port
    assert found[f"http://xn--bcher-kva.hostile.test:{port}/"]["outcome"] == "ok"
    six = found[f"http://[::1]:{port}/"]
    reachable = socket.has_ipv6 and _listens_on_six()
    assert six["outcome"] == ("ok" if reachable else "deferred")


def _listens_on_six():
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        return False
    return True


def test_a_name_that_stands_for_a_private_address_is_never_connected_to(crawl):
    asked = {request.host for request in crawling.requests(crawl[3] / "hostile")}
    assert asked & LOOKUPS.keys() == set()
    assert "lure.hostile.test" in asked


def test_where_a_redirect_must_not_lead_nobody_asks(crawl):
    asked = crawling.requests(crawl[3] / "hostile")
    assert not [x for x in asked if x.host == OUTSIDE]
    assert not [x for x in asked if x.path.startswith(("/closed/", "/unseen"))]


def test_a_hundred_redirects_to_one_page_ask_for_it_once(crawl):
    asked = [request.path for request in crawling.requests(crawl[3] / "hostile")]
    assert asked.count("/one") == 1
    assert sum(path.startswith("/many-") for path in asked) == 100


def test_good_hosts_have_all_their_pages(crawl, found):
    facts = crawl[1].truth(DEPTH, "site")
    wrong = {
        url: (found[url]["outcome"], fact.outcome)
        for url, fact in facts.items()
        if url in found
        and (found[url]["outcome"], found[url].get("digest", "")) != (fact.outcome, fact.digest)
    }
    assert wrong == {}
    waiting = {url for url, fact in facts.items() if fact.outcome == "deferred"}
    assert facts.keys() - found.keys() <= waiting


def test_a_layer_takes_no_longer_than_its_settings_say(crawl):
    for cost in costs(crawl[2], "doc"):
        assert cost["wall"] < LAYER_SECONDS + TIMEOUT + OWN_SECONDS


def test_no_process_outgrows_its_room(crawl):
    assert outgrown(crawl[2]) == {}


def test_nothing_that_a_server_sent_controls_the_terminal(crawl):
    said = crawl[4]
    assert r"content coding 'x\x1b[31m' unknown" in said
    assert all(line.isprintable() for line in said.splitlines())


@pytest.mark.slow
def test_a_layer_ends_in_time_whatever_waits(tmp_path):
    """30 pages of 2 s each; a layer has 6 s, the run 12 s and what merging takes."""
    with serve_hostile(Hostile("hostile.test", names=("slow",))) as web:
        limits = ["--layer-minutes=0.1", "--max-minutes=0.2"]
        code, said = run(tmp_path, "--depth=1", *limits, *web.seeds)
        expected = set(web.expected())
    assert code == 0, said
    layers = costs(tmp_path, "doc")
    assert all(cost["wall"] < 6 + TIMEOUT + OWN_SECONDS for cost in layers)
    assert sum(cost["wall"] for cost in layers) < 12 + TIMEOUT + OWN_SECONDS
    pages = {}
    for folder in sorted((tmp_path / "doc").glob("layer-*")):
        pages.update(crawling.records(folder))
    assert pages.keys() >= expected
    outcomes = {told(pages[url])[:2] for url in expected}
    assert outcomes == {
        ("ok", ""), ("failed", "timeout"), ("deferred", "no time left in the layer")
    }  # fmt: skip


@pytest.mark.slow
def test_giants_fit_into_the_room(tmp_path):
    with serve_hostile(Hostile("hostile.test", names=("giants",))) as web:
        words = ["--depth=1", "--max-bytes=10000000", "--timeout=30", *web.seeds]
        code, said = run(tmp_path, *words)
        expected = web.expected()
    assert code == 0, said
    found = crawling.answers(tmp_path)
    assert {url: told(found[url]) for url in expected} == expected
    assert outgrown(tmp_path) == {}


# TLS


def certified(authority, name, **dates):
    """A server's TLS context with a certificate for a name."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(name, **dates).configure_cert(context)
    return context


@pytest.mark.slow
def test_certificates_that_nobody_should_trust(tmp_path, monkeypatch):
    known, unknown = trustme.CA(), trustme.CA()
    known.cert_pem.write_to_path(tmp_path / "ca.pem")
    monkeypatch.setenv(naming.AUTHORITY, str(tmp_path / "ca.pem"))
    past = datetime.datetime(2020, 1, 1)
    contexts = {
        "good": certified(known, "good.test"),
        "expired": certified(
            known, "expired.test", not_before=past, not_after=past + datetime.timedelta(9)
        ),
        "wrong": certified(known, "another.test"),
        "unknown": certified(unknown, "unknown.test"),
        "plain": None,
    }
    with ExitStack() as stack:
        servers = {
            name: stack.enter_context(raw_server([[page()] * 9], context))
            for name, context in contexts.items()
        }
        seeds = {n: f"https://{n}.test:{s.port}/" for n, s in servers.items()}
        careful = run(tmp_path / "careful", "--depth=0", *seeds.values())
        insecure = run(tmp_path / "insecure", "--depth=0", "--insecure", *seeds.values())
    assert (careful[0], insecure[0]) == (0, 0), careful[1] + insecure[1]
    robots = dict(crawling.records(tmp_path / "careful/doc/layer-000"))
    reasons = {n: told(robots[url + "robots.txt"])[:2] for n, url in seeds.items()}
    assert reasons == {
        "good": ("ok", ""),
        "expired": ("failed", "TLS: certificate has expired"),
        "wrong": (
            "failed", "TLS: Hostname mismatch, certificate is not valid for 'wrong.test'."
        ),
        "unknown": ("failed", "TLS: unable to get local issuer certificate"),
        "plain": ("failed", "timeout"),  # it waits for the end of a request
    }  # fmt: skip
    found = crawling.answers(tmp_path / "careful")
    assert {n for n, url in seeds.items() if found[url]["outcome"] == "ok"} == {"good"}
    found = crawling.answers(tmp_path / "insecure")
    assert {n for n, url in seeds.items() if found[url]["outcome"] != "ok"} == {"plain"}
    assert "Warning" not in insecure[1]
