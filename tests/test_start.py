"""What is refused before a run touches anything, and what is only told."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from layercrawl import config, stores
from layercrawl.config import BadConfig, Config
from layercrawl.running import start
from layercrawl.stores import Marker, Stores


@pytest.fixture
def crawl(tmp_path: Path) -> Stores:
    return Stores(tmp_path / "crawl")


def settings(**values: Any) -> Config:
    return config.make(values)


def begun(crawl: Stores, **values: Any) -> None:
    """A first layer that was planned and fetched with these settings."""
    for store in ("in", "doc"):
        folder = crawl.layer(store, 0)
        sibling = stores.new(folder)
        sibling.mkdir()
        told = settings(**values).settings("optimizer")
        stores.publish(sibling, folder, Marker("Job", told, {}, "2026-11-30T12:00:00Z", {}))


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ({"order": "random"}, "--order 'random': choose one of breadth-first, depth-first"),
        ({"order": ""}, "--order ''"),
        ({"include": ["a", "("]}, r"--include: bad regular expression '\('"),
        ({"exclude": ["*"]}, r"--exclude: bad regular expression '\*'"),
        ({"order": "best-first"}, "--order best-first needs --topic: give words, or a file"),
        ({"topic": "jazz"}, "--topic is for --order best-first, not breadth-first: leave it out"),
    ],
)
def test_settings_refused(values: dict[str, Any], why: str) -> None:
    with pytest.raises(BadConfig, match=why):
        start.check(settings(**values))


@pytest.mark.parametrize("name", ["http_proxy", "HTTPS_PROXY", "ALL_PROXY"])
def test_a_proxy_that_cannot_be_asked(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for other in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(other, raising=False)
        monkeypatch.delenv(other.upper(), raising=False)
    monkeypatch.setenv(name, "socks5://user:s3cret@127.0.0.1:1080")
    why = f"{name.lower()} names a proxy of kind socks5: name an HTTP proxy, .*, or unset it"
    with pytest.raises(BadConfig, match=why) as refused:
        start.check(settings())
    assert "s3cret" not in str(refused.value)
    for usual in ("http://127.0.0.1:3128", "127.0.0.1:3128", ""):
        monkeypatch.setenv(name, usual)
        start.check(settings())


@pytest.mark.parametrize(
    ("given", "content", "text"),
    [
        ("jazz music", None, "jazz music"),
        ("-jazz", None, "jazz"),
        ("music of B. Evans", None, "music of B. Evans"),
        ("topic.txt", b"# Jazz\n\nblues\n", "Jazz\n\nblues"),
        ("jazz", b"what the file says", "what the file says"),
    ],
)
def test_a_topic_is_a_text_or_a_file_of_one(given, content, text, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    if content is not None:
        (tmp_path / given).write_bytes(content)
    assert start.with_topic(settings(topic=given)).topic == text


@pytest.mark.parametrize(
    ("given", "content", "why"),
    [
        ("none.txt", None, "--topic none.txt: No such file.*; name a readable text file, or give"),
        ("./", None, "Is a directory"),
        ("jazz/blues", None, "No such file"),
        ("topic.txt", b"\xff", "not UTF-8"),
        ("topic.txt", b" \n", "--topic topic.txt: no words in it; give some words"),
        ("?!", None, "no words"),
        ("topic.txt", b"word " * 9000, "has 44999 bytes: give 40000 at most"),
        ("x" * 50_000, None, "--topic x+ … has|File name too long|50000 bytes"),
    ],
)
def test_a_topic_that_cannot_be_used(given, content, why, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    if content is not None:
        (tmp_path / given).write_bytes(content)
    with pytest.raises(BadConfig, match=why):
        start.with_topic(settings(topic=given))


def test_settings_that_can_work(crawl: Stores) -> None:
    start.check(settings(order="best-first", topic="jazz"))
    start.check(settings(include=["^http"], exclude=[r"\.pdf$"], drop_params="sid"))
    start.check_root(settings(), crawl)
    assert not crawl.root.exists()


def test_seeds_of_all_places(crawl: Stores, tmp_path: Path) -> None:
    crawl.add_seeds(["http://c.example/", "http://a.example/"])
    file = tmp_path / "seeds.txt"
    file.write_bytes(b"\xef\xbb\xbfHTTP://B.example\r\n# comment\r\nhttp://c.example/")
    found = start.read_seeds(settings(seed_urls=["http://d.example"], seeds=str(file)), crawl)
    assert found.complaints == []
    assert found.lines == ["http://b.example/", "http://d.example/"]
    assert found.urls == ["http://c.example/", "http://a.example/", *found.lines]


def test_bad_lines_of_files_are_told_with_file_and_line(crawl: Stores, tmp_path: Path) -> None:
    crawl.seeds.mkdir(parents=True)
    (crawl.seeds / "mine.txt").write_bytes(b"http://a.example/\nhttp://b.example/ x\n")
    file = tmp_path / "seeds.txt"
    file.write_bytes(b"\xff\xfe\n\nhttp://a.example/\x0cb\n")
    found = start.read_seeds(settings(seeds=str(file)), crawl)
    assert found.urls == ["http://a.example/"]
    told = [complaint.partition(": ")[0] for complaint in found.complaints]
    assert told == [f"{file}:1", f"{file}:3", f"{crawl.seeds}/mine.txt:2"]
    assert found.complaints[2].endswith("more than one word: 'http://b.example/ x'")


def test_hidden_files_are_no_seeds(crawl: Stores) -> None:
    crawl.add_seeds(["http://a.example/"])
    (crawl.seeds / ".mine.txt.swp").write_bytes(b"\0\0\n")
    assert start.read_seeds(settings(), crawl).complaints == []


def test_a_bad_seed_on_the_command_line_is_refused(crawl: Stores) -> None:
    with pytest.raises(BadConfig, match=r"seed 'b': not a URL: 'b'; write http://HOST/PATH"):
        start.read_seeds(settings(seed_urls=["http://a.example/", "b"]), crawl)


@pytest.mark.parametrize("urls", [[], ["# comment"], [" "]])
def test_no_seeds(urls: list[str], crawl: Stores) -> None:
    with pytest.raises(BadConfig, match="no seeds: name a URL, or a file of URLs by --seeds FILE"):
        start.read_seeds(settings(seed_urls=urls), crawl)


@pytest.mark.parametrize(("name", "why"), [("none.txt", "No such file"), (".", "Is a directory")])
def test_seeds_that_cannot_be_read(name: str, why: str, crawl: Stores, tmp_path: Path) -> None:
    path = tmp_path / name
    with pytest.raises(BadConfig, match=f"seeds {path}: {why}.*; name a readable text file"):
        start.read_seeds(settings(seeds=str(path)), crawl)


def test_what_gives_known_urls_another_meaning_is_refused_by_name(crawl: Stores) -> None:
    begun(crawl, drop_params="sid,a", order="backlink", delay=1)
    start.check_root(settings(drop_params="a, sid", order="backlink", delay=5, scope="any"), crawl)
    with pytest.raises(BadConfig) as refused:
        start.check_root(settings(order="backlink"), crawl)
    assert str(refused.value) == (
        f"--drop-params none cannot be set within a crawl: {crawl.root} was made with a,sid;"
        " keep that, or take another --root"
    )
    with pytest.raises(BadConfig, match="--topic a+ … cannot be set .* was made with none; keep"):
        told = settings(drop_params="a,sid", order="backlink", topic="a" * 30 + " " + "a" * 90)
        start.check_root(told, crawl)
    with pytest.raises(BadConfig, match="--order breadth-first .* was made with backlink; keep"):
        start.check_root(settings(drop_params="sid,a"), crawl)


def test_a_root_where_nothing_was_fetched_takes_any_settings(crawl: Stores) -> None:
    begun(crawl, drop_params="sid")
    (crawl.layer("doc", 0) / stores.MARKER).unlink()
    start.check_root(settings(order="backlink"), crawl)


def test_settings_that_older_markers_do_not_have_were_defaults(crawl: Stores) -> None:
    begun(crawl)
    path = crawl.layer("in", 0) / stores.MARKER
    path.write_text(path.read_text().replace('"drop_params"', '"dropped_long_ago"'))
    start.check_root(settings(), crawl)
    with pytest.raises(BadConfig, match="--drop-params sid .* was made with none"):
        start.check_root(settings(drop_params="sid"), crawl)


@pytest.mark.parametrize(
    ("runner", "root", "why"),
    [
        ("hadoop", "crawl", "--runner hadoop needs --root hdfs://…, not crawl"),
        ("local", "hdfs:///crawl", "--runner local needs a folder for --root, not hdfs:///crawl"),
        ("inline", "hdfs:///crawl", "--runner inline needs a folder"),
        ("auto", "hdfs:///crawl", ""),
        ("auto", "crawl", ""),
    ],
)
def test_a_runner_needs_its_kind_of_root(
    runner: str, root: str, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(start.shell, "command", str)
    made = settings(runner=runner, root=root)
    with pytest.raises(BadConfig, match=why) if why else nullcontext():
        start.check(made)


def test_a_cluster_needs_the_hadoop_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("HADOOP_HOME", raising=False)
    with pytest.raises(BadConfig, match="no hadoop command: set HADOOP_HOME, or put it on PATH"):
        start.check(settings(root="hdfs:///crawl"))


def test_mrjobs_file_has_to_be_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(start.shell, "command", str)
    with pytest.raises(BadConfig, match="--mrjob-conf no/such: no such file"):
        start.check(settings(root="hdfs:///crawl", mrjob_conf="no/such"))
