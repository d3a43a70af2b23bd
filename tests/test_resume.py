"""A crawl that goes on: after SIGKILL at any place, to a greater depth, with new seeds."""

from __future__ import annotations

import random
import shutil
import signal
import subprocess

import pytest

from tests import crawling, killing
from tests.killing import JOBS, VICTIMS, Doom
from tests.web import Web, loopback, serve

WORDS = ("--depth", "2", "--exclude", "/redirects/")
COUNTS = {"CrawlerDriver": 25, "ParserDriver": 20}
"""At which record a task dies, so that it is amid a layer of many; 3 where not named."""
DOOMS = {
    f"{job}-{place}-{victim}": Doom(job, place, victim, count)
    for job in JOBS
    for place, victim, count in (
        ("job", "group", COUNTS.get(job, 3)),
        ("job", "driver", COUNTS.get(job, 3)),
        ("marker", "group", 1),  # no task runs any more: the driver is the group
        ("rename", "group", 1),
    )
}
"""By the name that the run calls itself in the web's log."""


@pytest.fixture(scope="module")
def web(log):
    with serve(Web(hosts=loopback(4), degree=2, depth=2, port=0), log=log) as served:
        yield served


@pytest.fixture(scope="module")
def undisturbed(web, tmp_path_factory):
    """The root of a finished crawl that nothing disturbed."""
    words = (*WORDS, "--contact", "undisturbed", *web.seeds)
    return crawling.finished(tmp_path_factory.mktemp("undisturbed"), *words)


@pytest.fixture
def copy(undisturbed, tmp_path):
    """A copy of the undisturbed crawl."""
    return shutil.copytree(undisturbed, tmp_path / "copy")


def assert_one_worker_a_host(log, names):
    """No host had two requests at a time, and no run asked for anything after the next began."""
    runs = [asked for name in names if (asked := crawling.requests(log, f"(+{name})"))]
    assert min(crawling.gaps(sorted(request for asked in runs for request in asked))) >= 0
    for before, after in zip(runs, runs[1:], strict=False):
        assert before[-1].start < after[0].start


def finish(root, web, name, runner="local"):
    words = [*WORDS, "--runner", runner, "--contact", name, *web.seeds]
    code, said = crawling.crawl(root, *words)
    assert code == 0, said


# SIGKILL


@pytest.mark.slow
def test_a_run_killed_in_every_stage_goes_on(web, log, undisturbed, tmp_path):
    for name, doom in DOOMS.items():
        words = [*WORDS, "--contact", name, *web.seeds]
        run = crawling.Run(tmp_path, *words, program=doom.program())
        assert run.wait() == -signal.SIGKILL, (doom, run.said)
    finish(tmp_path, web, "after-all")
    assert crawling.stores(tmp_path) == crawling.stores(undisturbed)
    assert_one_worker_a_host(log, [*DOOMS, "after-all"])


@pytest.mark.slow
def test_a_run_killed_at_any_moment_goes_on(web, log, undisturbed, tmp_path):
    seed = random.randrange(10**6)
    print(f"seed {seed}")
    draw, names = random.Random(seed), []
    for number in range(3):
        names.append(f"moment-{seed}-{number}")
        run = crawling.Run(tmp_path, *WORDS, "--contact", names[-1], *web.seeds)
        try:
            run.wait(draw.uniform(0.5, 3.0))
        except subprocess.TimeoutExpired:
            killing.send(run.pid, draw.choice(VICTIMS))
        run.wait()
    finish(tmp_path, web, f"moment-{seed}-last")
    assert crawling.stores(tmp_path) == crawling.stores(undisturbed)
    assert_one_worker_a_host(log, [*names, f"moment-{seed}-last"])


@pytest.mark.slow
def test_the_tasks_of_a_killed_driver_end_before_the_next_one_fetches(web, log, tmp_path):
    words = ["--depth", "1", "--delay", "0.4", web.seeds[0] + "redirects/"]  # a layer of 10 s
    run = crawling.Run(tmp_path, *words, "--contact", "orphans")
    crawling.until(lambda: len(crawling.requests(log, "(+orphans)")) > 4)
    assert len(crawling.survivors(run.pid)) > 1
    killing.send(run.pid, "driver")
    run.wait()
    code, said = crawling.crawl(tmp_path, *words, "--delay", "0", "--contact", "heir")
    assert code == 0, said
    assert crawling.survivors(run.pid) == []
    assert_one_worker_a_host(log, ["orphans", "heir"])


# More of a finished crawl


def test_a_finished_crawl_is_only_planned_anew(web, log, copy):
    before = crawling.stores(copy)
    last = str(max((copy / "in").glob("layer-*")))
    times = {path: was for path, was in crawling.tree(copy).items() if "/layer-" in path}
    code, said = crawling.crawl(copy, *WORDS, "--contact", "finished", *web.seeds)
    assert code == 0, said
    assert crawling.requests(log, "(+finished)") == []
    assert crawling.stores(copy) == before
    after = crawling.tree(copy)
    changed = {path for path, was in times.items() if after.get(path) != was}
    assert all(path.startswith(last) for path in changed)


def test_a_greater_depth_asks_for_nothing_again(web, log, undisturbed, tmp_path):
    shallow = [*WORDS, "--depth", "1", "--runner", "inline", "--contact", "shallow"]
    assert crawling.crawl(tmp_path, *shallow, *web.seeds)[0] == 0
    finish(tmp_path, web, "deeper", "inline")
    first, then = (
        {(request.host, request.path) for request in crawling.requests(log, f"(+{name})")}
        for name in ("shallow", "deeper")
    )
    assert first
    assert then
    assert first & then == set()
    whole = crawling.stores(undisturbed)
    deeper = crawling.stores(tmp_path)
    assert deeper["doc/merged"] == whole["doc/merged"]
    assert deeper["xml"] == whole["xml"]


def test_new_seeds_enter_at_depth_0(web, tmp_path):
    words = ["--depth", "0", "--runner", "inline"]
    new = web.seeds[0].replace(web.hosts[0], web.hosts[1]) + "plain/2/1"
    assert crawling.crawl(tmp_path, *words, *web.seeds)[0] == 0
    assert crawling.answers(tmp_path).keys() == {*web.seeds}
    assert crawling.crawl(tmp_path, *words, new)[0] == 0
    found = crawling.answers(tmp_path)
    assert found.keys() == {*web.seeds, new}
    assert found[new]["target"] == {"is": "target"}  # depth 0, reached from nowhere
