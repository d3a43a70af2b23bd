"""`layercrawl status` and `layercrawl why` answer truly about a crawl of the seeded web."""

from __future__ import annotations

from pathlib import Path

import pytest

import driver
from layercrawl import cli, stores
from layercrawl.records import Outlinks, Page, Target, encode
from layercrawl.stores import Marker, Stores
from tests.web import Web, serve


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Web]:
    root = tmp_path_factory.mktemp("cli") / "crawl"
    with serve(Web(port=0)) as web:
        options = ["--depth=3", "--delay=0", "--scope=any", "--allow-private", "--quiet"]
        assert driver.main([*options, "--retries=0", f"--root={root}", *web.seeds]) == 0
    return root, web


def ask(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert cli.main(words) == 0
    return capsys.readouterr().out


def story(crawled: tuple[Path, Web], capsys: pytest.CaptureFixture[str], path: str) -> str:
    """What `why` says of the first truth URL that ends with `path`."""
    root, web = crawled
    url = next(url for url in web.truth(3) if url.endswith(path))
    return ask(capsys, "why", url, "--root", str(root))


def test_status_counts_layers_outcomes_and_what_waits(
    crawled: tuple[Path, Web], capsys: pytest.CaptureFixture[str]
) -> None:
    root, web = crawled
    told = ask(capsys, "status", "--root", str(root))
    head, first, *_ = told.splitlines()
    assert head.split()[:3] == ["layer", "targets", "ok"]
    assert first.split() == ["000", "1", "1"] + ["0"] * (len(head.split()) - 3)
    ok = sum(fact.outcome == "ok" for fact in web.truth(3).values())
    total = next(line for line in told.splitlines() if line.strip().startswith("all")).split()
    assert total[2] == str(ok)
    assert "URLs wait, the first until about" in told
    assert "next: nothing, until something is due" in told


CASES = {
    "/": ["seed, depth 0", "ok, status 200", "links to follow", "doc/merged/part-", ": as XML"],
    "/broken/short": ["link, depth 3", "failed, body cut short", "waits until", "robots.txt: read"],
    "/redirects/status/301": ["redirect, status 301, to http://"],
    "/redirects/at/301": ["redirect, depth 2", "ok, status 200"],
}


@pytest.mark.parametrize("path", CASES)
def test_why_tells_the_story(
    crawled: tuple[Path, Web], capsys: pytest.CaptureFixture[str], path: str
) -> None:
    told = story(crawled, capsys, path)
    assert [words for words in CASES[path] if words not in told] == []


def test_why_does_not_judge_a_robots_txt_as_a_page(
    crawled: tuple[Path, Web], capsys: pytest.CaptureFixture[str]
) -> None:
    root, web = crawled
    told = ask(capsys, "why", f"{web.seeds[0]}robots.txt", "--root", str(root))
    assert "robots.txt, depth 0" in told and "ok, status 200, at" in told
    assert not [words for words in ("left out", "waits", "not in") if words in told]


def test_why_names_a_status_once(
    crawled: tuple[Path, Web], capsys: pytest.CaptureFixture[str]
) -> None:
    root, web = crawled
    gone = next(url for url, fact in web.truth(3).items() if fact.outcome == "gone")
    told = ask(capsys, "why", gone, "--root", str(root))
    assert told.count(": gone, status 4") == 1 and "status 404, status" not in told


def test_why_names_the_rule_that_denied(
    crawled: tuple[Path, Web], capsys: pytest.CaptureFixture[str]
) -> None:
    root, web = crawled
    stored = Stores(root)
    denied = next(
        url
        for layer in stored.layers("doc")
        for url, page in stores.read(stored.layer("doc", layer), Page)
        if page.reason.startswith("robots.txt line")
    )
    told = ask(capsys, "why", denied, "--root", str(root))
    assert "denied, robots.txt line " in told and "done: not asked for again" in told


def test_duplicates_lists_groups_largest_first_and_compares_two(
    crawled: tuple[Path, Web], capsys: pytest.CaptureFixture[str]
) -> None:
    root, _ = crawled
    told = ask(capsys, "duplicates", "--root", str(root)).splitlines()
    groups = [line for line in told if not line.startswith(" ")]
    sizes = [int(line.split(" ")[0]) for line in groups]
    assert sizes == sorted(sizes, reverse=True) and sum(sizes) == len(told)
    members = [line.split() for line in told if line.startswith("  near")]
    stands = next(line.split(" ")[1] for line in groups if "/duplicates/" in line)
    compared = ask(capsys, "duplicates", stands, members[0][2], "--root", str(root))
    assert " | " in compared and "variant" in compared and "words …]" in compared
    assert cli.main(["duplicates", stands, "--root", str(root)]) == 2
    assert "two to compare" in capsys.readouterr().err


def test_why_names_the_page_that_a_duplicate_equals(
    crawled: tuple[Path, Web], capsys: pytest.CaptureFixture[str]
) -> None:
    root, _ = crawled
    merged = stores.read(Stores(root).merged, Page)
    stands, page = next((url, page) for url, page in merged if page.duplicates)
    name, kind, distance = page.duplicates[0]
    told = ask(capsys, "why", name, "--root", str(root))
    assert f"{kind} duplicate of {stands}, distance {distance}" in told


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://nowhere.example/", "not known"),
        ("http://nowhere.example/x.png", "would be cut: file type"),
    ],
)
def test_why_says_what_is_not_known(
    crawled: tuple[Path, Web], capsys: pytest.CaptureFixture[str], url: str, words: str
) -> None:
    assert words in ask(capsys, "why", url, "--root", str(crawled[0]))


def test_a_host_that_cannot_be_reached_explains_its_urls(
    crawled: tuple[Path, Web], capsys: pytest.CaptureFixture[str]
) -> None:
    root, web = crawled
    url = next(url for url, fact in web.truth(3).items() if fact.outcome == "deferred")
    assert "robots.txt: unreachable since" in ask(capsys, "why", url, "--root", str(root))


def test_bad_questions_end_with_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["status", "--root", str(tmp_path)]) == 2
    assert "no crawl lies here" in capsys.readouterr().err
    assert cli.main(["why", "not a url", "--root", str(tmp_path)]) == 2
    assert "not a URL" in capsys.readouterr().err


def lay(root: Path, *stages: str) -> None:
    """The stores of a crawl that stopped after these stages of layer 0."""
    crawl = Stores(root)
    lines = {
        "in": encode("http://a.example/", Target()),
        "doc": encode("http://a.example/", Page(Target(), "ok", "\x1b[31m\n")),
        "out": encode("http://a.example/", Outlinks(Target(), "ok")),
    }
    totals = {"in": {"urls: taken": 1, "urls: due": 1}, "doc": {"outcomes: ok": 1}, "out": {}}
    for stage in stages:
        sibling = stores.new(crawl.layer(stage, 0))
        sibling.mkdir(parents=True)
        (sibling / "part-00000").write_bytes(lines[stage] + b"\n")
        marker = Marker(stage, {"depth": 0}, {}, "2026-11-30T12:00:00Z", totals[stage])
        stores.publish(sibling, crawl.layer(stage, 0), marker)
    crawl.add_seeds(["http://a.example/"])


@pytest.mark.parametrize(
    ("stages", "comes"), [(["in"], "CrawlerDriver"), (["in", "doc"], "ParserDriver")]
)
def test_status_says_where_an_interrupted_crawl_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], stages: list[str], comes: str
) -> None:
    lay(tmp_path, *stages)
    told = ask(capsys, "status", "--root", str(tmp_path))
    assert f"next: {comes} for layer 0" in told
    assert ("1 URL of layer 0 not fetched yet" in told) == (comes == "CrawlerDriver")
    assert "nothing waits" not in told


def test_status_says_when_a_crawl_is_finished(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lay(tmp_path, "in", "doc", "out")
    crawl = Stores(tmp_path)
    for folder in (crawl.layer("in", 1), crawl.merged, crawl.xml):
        assert "next: OptimizerDriver" in ask(capsys, "status", "--root", str(tmp_path))
        (sibling := stores.new(folder)).mkdir(parents=True)
        stores.publish(sibling, folder, Marker("Job", {}, {}, "", {}))
    assert "next: nothing, until something is due" in ask(capsys, "status", "--root", str(tmp_path))


def test_stores_that_cannot_be_read_end_with_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lay(tmp_path, "in")
    (tmp_path / "in/layer-000/part-00001").mkdir()
    assert cli.main(["why", "http://a.example/", "--root", str(tmp_path)]) == 2
    assert "in/layer-000/part-00001" in capsys.readouterr().err


def test_a_terminal_is_not_obeyed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lay(tmp_path, "in", "doc")
    told = ask(capsys, "why", "http://a.example/", "--root", str(tmp_path))
    assert "\x1b" not in told and "\\x1b[31m\\x0a" in told
    assert "waits: not asked for yet" in told
