"""The driver from outside: its exit codes, what it says, and what it leaves alone."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import driver
from tests import crawling
from tests.web import Web, loopback, serve

PLAIN = ("--runner", "inline", "--depth", "1", "--include", "/plain/")
"""A crawl of few pages in this very process."""
SLOW = ("--depth", "1", "--include", "/plain/", "--delay", "0.4")
"""A crawl that takes some seconds and can be stopped amid its fetching."""


@pytest.fixture(scope="module")
def web(log):
    with serve(Web(hosts=loopback(2), degree=4, depth=2, port=0), log=log) as served:
        yield served


@pytest.fixture(scope="module")
def finished(web, tmp_path_factory):
    """The root of a finished SLOW crawl that nothing disturbed."""
    return crawling.finished(tmp_path_factory.mktemp("finished"), *SLOW, "--delay", "0", *web.seeds)


@pytest.fixture
def root(tmp_path):
    return tmp_path / "crawl"


@pytest.fixture
def drive(root, monkeypatch, capfd):
    """Run the driver in this process: exit code, and all that it wrote."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", crawling.CLOCK)
    before = signal.getsignal(signal.SIGTERM)

    def run(*words):
        try:
            code = driver.main(["--root", str(root), *crawling.OPTIONS, *words])
        except SystemExit as end:  # argparse's way
            code = end.code
        return code, "".join(capfd.readouterr())

    yield run
    signal.signal(signal.SIGTERM, before)


def fetched(root):
    """The paths of the pages that a crawl has an answer to, without host and port."""
    return {"/" + url.split("/", 3)[3] for url in crawling.answers(root)}


# 2: bad use, and nothing is touched


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--no-such-option"], "--no-such-option"),
        (["--depth", "deep"], "--depth"),
        (["--depth", "-1"], "--depth"),
        (["--runner", "yarn"], "--runner"),
        (["--order", "upside-down"], "breadth-first"),
        (["--order", "best-first"], "--topic"),
        (["--order", "best-first", "--topic", "/no/such/file"], "--topic /no/such/file"),
        (["--topic", "jazz"], "--order best-first"),
        (["--include", "("], "--include"),
        (["--seeds", "/no/such/file"], "/no/such/file"),
        (["--config", "/no/such/file.toml"], "/no/such/file.toml"),
        (["ftp://a.example/"], "ftp://a.example/"),
        (["a.example"], "a.example"),
    ],
)
def test_bad_use_is_named_and_touches_nothing(drive, root, words, says):
    code, said = drive("--depth", "1", "http://a.example/", *words)
    assert code == 2
    assert says in said.splitlines()[-1]
    assert "Traceback" not in said
    assert not root.exists()


def test_a_root_on_hdfs_needs_the_hadoop_command(drive, monkeypatch):
    monkeypatch.setenv("PATH", "")
    for name in [name for name in os.environ if name.startswith("HADOOP")]:
        monkeypatch.delenv(name)
    code, said = drive("--depth", "1", "http://a.example/", "--root", "hdfs://namenode/crawl")
    assert code == 2
    assert "HADOOP_HOME" in said.splitlines()[-1]


def test_a_depth_is_needed(drive, root):
    assert drive("http://a.example/")[0] == 2
    assert not root.exists()


def test_seeds_are_needed(drive, root):
    code, said = drive("--depth", "1")
    assert code == 2
    assert "--seeds" in said
    assert not root.exists()


def test_a_root_that_is_a_file_is_refused(drive, root):
    root.write_text("mine")
    code, said = drive("--depth", "1", "http://a.example/")
    assert code == 2
    assert str(root) in said
    assert root.read_text() == "mine"


@pytest.fixture
def user():
    """Be somebody who may not do everything, in a folder that anybody may enter."""
    root = os.geteuid() == 0
    with tempfile.TemporaryDirectory() as place:
        Path(place).chmod(0o777)
        if root:
            os.setresuid(65534, 65534, 0)
        yield Path(place)
        if root:
            os.setresuid(0, 0, 0)


@pytest.mark.parametrize("mode", [0o500, 0o300, 0o000], ids=["written", "read", "entered"])
def test_a_root_that_cannot_be_used_is_refused(drive, user, mode):
    (root := user / "crawl").mkdir(mode=mode)
    code, said = drive("--depth", "1", "http://a.example/", "--root", str(root))
    root.chmod(0o700)
    assert code == 2, said
    assert f"--root {root}: " in said.splitlines()[-1]
    assert list(root.iterdir()) == []


@pytest.mark.parametrize("path", ["in", "in/layer-000/_MARKER.json"])
def test_stores_that_cannot_be_read_are_refused(drive, user, path):
    (layer := user / "crawl/in/layer-000").mkdir(parents=True)
    (layer / "_MARKER.json").touch()
    (answers := user / "crawl/doc/layer-000").mkdir(parents=True)
    (answers / "_MARKER.json").touch()
    (user / "crawl" / path).chmod(0)
    code, said = drive("--depth", "1", "http://a.example/", "--root", str(user / "crawl"))
    (user / "crawl" / path).chmod(0o700)
    assert code == 2, said
    assert f"--root {user / 'crawl'}: " in said.splitlines()[-1]


@pytest.mark.parametrize(
    ("text", "says"),
    [("depth = ", "bad.toml"), ("dept = 1", "depth"), ("depth = 'x'", "--depth"), ("\0", "")],
)
def test_a_bad_config_file_is_refused(drive, root, tmp_path, text, says):
    file = tmp_path / "bad.toml"
    file.write_text(text)
    code, said = drive("--config", str(file), "http://a.example/")
    assert code == 2
    assert says in said
    assert not root.exists()


@pytest.mark.parametrize("change", [["--order", "depth-first"], ["--drop-params", "sid"]])
def test_a_change_of_what_is_known_is_refused(drive, web, finished, change):
    before = crawling.tree(finished)
    code, said = drive("--root", str(finished), *SLOW, *change, *web.seeds)
    assert code == 2
    assert change[0] in said
    assert "--root" in said
    assert crawling.tree(finished) == before


@pytest.mark.slow
def test_a_second_driver_is_refused_and_the_first_goes_on(drive, root, web, log, finished):
    first = crawling.Run(root, *SLOW, "--contact", "first", *web.seeds)
    crawling.until(lambda: crawling.requests(log, "(+first)"))
    code, said = drive(*PLAIN, "--contact", "second", *web.seeds)
    assert code == 2
    assert "another driver" in said
    assert first.poll() is None
    assert first.wait() == 0, first.said
    assert crawling.requests(log, "(+second)") == []
    assert crawling.stores(root) == crawling.stores(finished)


# 1: a job failed


@pytest.mark.parametrize("runner", ["inline", "local"])
def test_a_job_that_fails_is_named_with_its_log(drive, root, web, monkeypatch, runner):
    def broken(self, url, page):
        raise ZeroDivisionError("no such luck")

    monkeypatch.setattr(driver.ParserDriver, "mapper", broken)
    words = [*PLAIN, "--runner", runner, *web.seeds]
    code, said = drive(*words)
    last = said.splitlines()[-1]
    assert code == 1
    assert "ParserDriver failed: ZeroDivisionError: no such luck" in last
    kept = last.rpartition("its log: ")[2]
    assert "in broken" in Path(kept).read_text()
    assert not list(root.glob("out/layer-*"))
    monkeypatch.undo()
    assert drive(*words)[0] == 0


@pytest.fixture
def small_disk(tmp_path):
    """A disk of 100 kB, mounted."""
    place = tmp_path / "disk"
    place.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", "size=100k", "tmpfs", str(place)]
    if sys.platform != "linux" or subprocess.run(words, capture_output=True).returncode:
        pytest.skip("a small disk can only be mounted by root on Linux")
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)


@pytest.mark.slow
def test_a_full_disk_is_named_and_the_crawl_goes_on_with_more_space(small_disk, web, finished):
    words = [*SLOW, "--delay", "0", *web.seeds]
    code, said = crawling.crawl(small_disk, *words)
    assert code == 1, said
    assert "No space left on device" in said.splitlines()[-1]
    assert "Traceback" not in said
    subprocess.run(["mount", "-o", "remount,size=20m", str(small_disk)], check=True)
    code, said = crawling.crawl(small_disk, *words)
    assert code == 0, said
    assert crawling.stores(small_disk) == crawling.stores(finished)


# 3: nothing fetched; 130: interrupted


def test_nothing_fetched_has_an_exit_code_of_its_own(drive, root):
    code, said = drive(*PLAIN, "http://127.9.9.9:9/", "http://127.9.9.10:9/")
    assert code == 3, said
    pages = crawling.answers(root)
    assert {page["outcome"] for page in pages.values()} == {"deferred"}
    assert "2 URLs wait, the first until about 20" in said


def test_a_folder_of_seeds_that_may_not_be_read_is_bad_use(drive, root, monkeypatch):
    def refuse(path):
        if str(path).endswith("seeds"):
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    scandir = os.scandir
    (root / "in" / "seeds").mkdir(parents=True)
    monkeypatch.setattr("layercrawl.stores.os.scandir", refuse)
    code, said = drive(*PLAIN, "http://127.9.9.9:9/")
    assert code == 2, said
    assert "Permission denied" in said
    assert "in/seeds" in said


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "send"),
    [
        pytest.param(signal.SIGINT, os.killpg, id="Ctrl-C"),
        pytest.param(signal.SIGTERM, os.kill, id="SIGTERM"),
        pytest.param(signal.SIGTERM, os.killpg, id="SIGTERM to all"),
    ],
)
def test_an_interrupted_run_says_how_to_go_on(root, web, log, finished, number, send, request):
    name = request.node.callspec.id.replace(" ", "-")
    run = crawling.Run(root, *SLOW, "--contact", name, *web.seeds)
    crawling.until(lambda: len(crawling.requests(log, f"(+{name})")) > 3)
    send(run.pid, number)
    assert run.wait(20) == 130
    assert "run the same command again" in run.said.splitlines()[-1]
    assert "Traceback" not in run.said
    assert crawling.survivors(run.pid) == []
    code, said = crawling.crawl(root, *SLOW, "--delay", "0", *web.seeds)
    assert code == 0, said
    assert crawling.stores(root) == crawling.stores(finished)


# 0: finished


def test_a_bad_line_of_a_seed_file_is_counted_and_passed_over(drive, root, web, tmp_path):
    file = tmp_path / "seeds.txt"
    file.write_text(f"# mine\n\nnot a seed\n{web.seeds[0]}  # the front page\nmailto:a@b.example\n")
    code, said = drive("--runner", "inline", "--depth", "0", "--seeds", str(file))
    assert code == 0, said
    assert f"{file}:3: " in said
    assert f"{file}:5: " in said
    assert crawling.answers(root).keys() == {*web.seeds}


def test_quiet_says_nothing(drive, web):
    assert drive(*PLAIN, "--quiet", *web.seeds) == (0, "")


def test_a_summary_tells_where_the_results_lie(drive, root, web):
    _, said = drive(*PLAIN, *web.seeds)
    assert f"{root}/doc/merged: 5 pages" in said
    assert f"{root}/xml: 5 documents" in said


def test_a_dry_run_touches_nothing(drive, root, web, finished):
    assert drive(*PLAIN, "--dry-run", *web.seeds)[0] == 0
    assert not root.exists()
    before = crawling.tree(finished)
    code, said = drive("--root", str(finished), *SLOW, "--dry-run", *web.seeds)
    assert code == 0
    assert "layer" in said
    assert crawling.tree(finished) == before


def test_max_pages_stops_a_crawl_and_more_of_them_go_on(drive, root, web):
    code, said = drive(*PLAIN, "--max-pages", "3", *web.seeds)
    assert code == 0
    assert "2 URLs wait" in said
    assert fetched(root) == {"/", "/plain/1/0", "/plain/1/1"}
    before = crawling.stores(root)
    assert drive(*PLAIN, "--max-pages", "3", *web.seeds)[0] == 0
    assert crawling.stores(root) == before
    assert drive(*PLAIN, *web.seeds)[0] == 0
    assert fetched(root) == {"/", *(f"/plain/1/{number}" for number in range(4))}


@pytest.mark.slow
def test_max_minutes_stops_a_crawl_and_the_same_command_goes_on(root, web):
    words = [*SLOW, "--delay", "0.7", "--max-minutes", "0.04", *web.seeds]
    good = []
    while good[-1:] != [5]:
        code, said = crawling.crawl(root, *words)
        assert code == 0, said
        good.append(len(list(crawling.records(root / "doc/merged"))))
        assert "nothing waits\n" not in said or good[-1] == 5
        assert len(good) < 10
    assert len(good) > 1


def test_a_config_file_is_used_and_the_command_line_beats_it(drive, root, web, tmp_path):
    file = tmp_path / "crawl.toml"
    file.write_text(
        f'depth = 3\nrunner = "inline"\ninclude = ["/plain/1/[01]$"]\nseed_urls = {[*web.seeds]}\n'
    )
    assert drive("--config", str(file), "--depth", "1")[0] == 0
    assert fetched(root) == {"/", "/plain/1/0", "/plain/1/1"}


@pytest.mark.parametrize(
    ("words", "cut", "kept", "gone"),
    [
        (["--include", "/plain/1/[12]$"], "include", {"/plain/1/1"}, {"/plain/1/0", "/traps/"}),
        (["--exclude", "/plain/1/[12]$"], "exclude", {"/plain/1/0", "/traps/"}, {"/plain/1/1"}),
    ],
)
def test_rules_cut_links(drive, root, web, words, cut, kept, gone):
    assert drive("--runner", "inline", "--depth", "1", *words, *web.seeds)[0] == 0
    found = fetched(root)
    assert kept <= found
    assert gone & found == set()
    ((_, links),) = (
        row for row in crawling.records(root / "out/layer-000") if row[0] == web.seeds[0]
    )
    assert links["cuts"][cut] >= len(gone) - 1
    targets = {"/" + url.split("/", 3)[3] for url, _ in crawling.records(root / "in/layer-001")}
    assert gone & targets == set()


@pytest.mark.parametrize(
    ("scope", "hosts"), [("host", 1), ("site", 1), ("any", 2)]
)  # an address is a site of its own
def test_scope_keeps_links_within_hosts(drive, root, web, scope, hosts):
    words = ["--scope", scope, "--include", "/(plain/.*)?$", "--runner", "inline"]
    assert drive("--depth", "1", *words, *web.seeds)[0] == 0
    assert len({url.split("/")[2] for url in crawling.answers(root)}) == hosts
    ((_, links),) = (
        row for row in crawling.records(root / "out/layer-000") if row[0] == web.seeds[0]
    )
    assert ("scope" in links.get("cuts", {})) == (hosts == 1)


def test_drop_params_leaves_parameters_out_of_links(drive, root, web):
    words = ["--depth", "2", "--runner", "inline", "--drop-params", "sid,other"]
    assert drive(*words, "--include", "sid=", web.seeds[0] + "traps/session")[0] == 0
    assert fetched(root) == {"/traps/session"}


def test_rules_that_change_hold_for_what_is_known_already(drive, root, web):
    words = ["--runner", "inline", *web.seeds]
    assert drive("--depth", "0", *words)[0] == 0
    assert drive("--depth", "1", "--exclude", "/plain/1/1$", *words)[0] == 0
    assert "/plain/1/0" in fetched(root) and "/plain/1/1" not in fetched(root)
    assert drive("--depth", "1", *words)[0] == 0
    assert "/plain/1/1" in fetched(root)


def test_drop_params_leaves_parameters_out_of_seeds(drive, root, web):
    words = ["--depth", "0", "--runner", "inline", "--drop-params", "sid,other"]
    drive(*words, web.seeds[0] + "traps/session?sid=0000000000000000&p=2")
    assert fetched(root) == {"/traps/session?p=2"}
