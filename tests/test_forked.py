"""The local runner: tasks in forked processes, none of which outlives the driver."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from layercrawl import records
from layercrawl.job import JobFailed, forked
from layercrawl.job.forked import Forked, TaskFailed
from layercrawl.records import Target
from tests import tasks

Task = Callable[[], None]
FOLDER = Path(__file__).parents[1]


@pytest.fixture
def runner(tmp_path: Path) -> Iterator[Forked]:
    with Forked(conf_paths=[], local_tmp_dir=str(tmp_path), num_cores=2) as made:
        yield made


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with Targets in in/, enough for many tasks."""
    (tmp_path / "in").mkdir()
    lines = [records.encode(f"http://{n}.example/", Target()) + b"\n" for n in range(20)]
    (tmp_path / "in" / "part-00000").write_bytes(b"".join(lines))
    return tmp_path


def until(true: Callable[[], object]) -> None:
    end = time.monotonic() + 20
    while not true():
        assert time.monotonic() < end
        time.sleep(0.01)


def living(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def writes(path: Path, seconds: float = 0.0) -> Task:
    """A task that says when it began and ended, and in which process."""

    def task() -> None:
        path.write_text(f"{time.monotonic()} {os.getpid()}")
        time.sleep(seconds)
        with path.open("a") as out:
            out.write(f" {time.monotonic()}")

    return task


def fails(error: BaseException, after: float = 0.0) -> Task:
    def task() -> None:
        time.sleep(after)
        raise error

    return task


def grow() -> None:
    grown = bytes(range(250)) * 400_000
    assert len(grown) == 100_000_000


def test_each_task_has_a_process_and_no_more_run_than_there_are_cores(
    runner: Forked, tmp_path: Path
) -> None:
    paths = [tmp_path / str(number) for number in range(5)]
    runner._run_multiple(writes(path, 0.05) for path in paths)
    ran = [path.read_text().split() for path in paths]
    assert len({os.getpid(), *(int(process) for _, process, _ in ran)}) == 6
    for start, _, _ in ran:
        assert sum(one <= start < end for one, _, end in ran) <= 2


def test_no_tasks(runner: Forked) -> None:
    runner._run_multiple([])
    assert runner.largest == 0


def test_the_peak_of_the_largest_task_is_known(runner: Forked) -> None:
    runner._run_multiple([lambda: None])
    small = runner.largest
    runner._run_multiple([lambda: None, grow])
    assert runner.largest > small + 80_000


def test_a_failure_ends_the_other_tasks(runner: Forked, tmp_path: Path) -> None:
    before = descriptors()
    begun = tmp_path / "begun"
    with pytest.raises(TaskFailed, match="no such luck") as failed:
        runner._run_multiple(
            [
                fails(ValueError("no such luck"), after=0.2),
                writes(begun, 60),
                writes(tmp_path / "x"),
            ]
        )
    assert failed.value.why == "ValueError: no such luck"
    assert str(failed.value).startswith("Traceback (most recent call last):\n")
    assert not living(int(begun.read_text().split()[1]))
    assert not (tmp_path / "x").exists()
    assert descriptors() == before


@pytest.mark.parametrize(
    ("task", "why"),
    [
        (fails(KeyboardInterrupt()), "KeyboardInterrupt"),
        (fails(SystemExit(0)), "SystemExit: 0"),
        (fails(ValueError("one\ntwo")), "ValueError: one\ntwo"),
        (fails(ValueError("x" * 1_000_000)), "ValueError: " + "x" * 1_000_000),
        (lambda: os._exit(7), "a task ended with exit code 7 and without a word"),
        (
            lambda: os.kill(os.getpid(), signal.SIGUSR1),
            f"a task was ended by signal {signal.SIGUSR1:d} (User defined signal 1)",
        ),
        (
            lambda: os.kill(os.getpid(), signal.SIGKILL),
            "a task was ended by signal 9 (Killed); memory may have run out",
        ),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else "",
)
def test_why_a_task_failed(task: Task, why: str, runner: Forked) -> None:
    with pytest.raises(TaskFailed) as failed:
        runner._run_multiple([task])
    assert failed.value.why == why
    assert str(failed.value)


def test_an_interrupt_ends_the_tasks(runner: Forked, tmp_path: Path) -> None:
    begun = tmp_path / "begun"

    def interrupt(_: list[str]) -> None:
        until(lambda: begun.exists() and begun.read_text())
        raise KeyboardInterrupt

    runner.watch = interrupt
    with pytest.raises(KeyboardInterrupt):
        runner._run_multiple([writes(begun, 60)])
    assert not living(int(begun.read_text().split()[1]))


def test_tasks_leave_ctrl_c_to_the_driver(runner: Forked) -> None:
    runner._run_multiple([lambda: os.kill(os.getpid(), signal.SIGINT)])


def test_an_orphan_ends_before_it_begins(tmp_path: Path) -> None:
    child = os.fork()
    if not child:
        forked.die_with(os.getpid())  # its parent is another process than this
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1


def test_statuses_are_each_tasks_newest_whole_line(runner: Forked) -> None:
    texts = [
        b"reporter:status:old\nreporter:counter:a,b,1\nreporter:status:new\nother\n",
        b"reporter:status:whole\nreporter:status:par",
        b"no status\n",
        b"reporter:status:far\n" + b"x" * 3000,
        b"reporter:status:\xff\n",
    ]
    for number, text in enumerate(texts):
        path = Path(runner._task_stderr_path("reducer", 0, number))
        path.parent.mkdir(parents=True)
        path.write_bytes(text)
    assert sorted(runner._statuses()) == ["new\n", "whole\n", "\ufffd\n"]


@pytest.mark.parametrize("cores", [1, 2, 3, 8])
@pytest.mark.parametrize("size", [0, 1 << 16])
def test_reducers_fit_the_cores_and_the_input(cores: int, size: int, tmp_path: Path) -> None:
    runner = Forked(conf_paths=[], local_tmp_dir=str(tmp_path), num_cores=cores)
    lines = Path(runner._sorted_reducer_input_path(0))
    lines.parent.mkdir(parents=True)
    lines.write_bytes(b"".join(b"%07d\n" % n for n in range(size // 8)))
    pieces = runner._split_reducer_input(0)
    assert pieces == 1 if not size else abs(pieces - cores) <= 1


def test_small_files_are_one_split_each(tmp_path: Path) -> None:
    runner = Forked(conf_paths=[], local_tmp_dir=str(tmp_path), num_cores=2)
    small, large = tmp_path / "small", tmp_path / "large"
    small.write_bytes(b"a\nb\n")
    large.write_bytes(b"%01023d\n" % 0 * 10_000)
    runner._uses_input_manifest = lambda: False  # which asks the job's steps
    splits = runner._split_mapper_input([str(small), str(large)], 0)
    assert [split["file"] for split in splits].count(str(small)) == 1
    assert 4 <= len(splits) <= 6


def test_sorting_whole_lines_or_by_key_keeps_bytes_order(tmp_path: Path) -> None:
    a, b, out = (tmp_path / name for name in ("a", "-b", "out"))
    a.write_bytes(b"b\t2\na\t\xff\nB\t1\n")
    b.write_bytes(b"a\tz\nb\t1\n\xc3\xa9\t0\na b\t0\n")
    forked._sort_lines([str(a), str(b)], str(out))
    rows = [b"B\t1", b"a\tz", b"a\t\xff", b"a b\t0", b"b\t1", b"b\t2", b"\xc3\xa9\t0"]
    assert out.read_bytes().splitlines() == rows
    forked._sort_keys([str(a), str(b)], str(out))
    rows = [b"B\t1", b"a\t\xff", b"a\tz", b"a b\t0", b"b\t2", b"b\t1", b"\xc3\xa9\t0"]
    assert out.read_bytes().splitlines() == rows


def test_sorting_nothing(tmp_path: Path) -> None:
    forked._sort_keys([], str(tmp_path / "out"))
    assert (tmp_path / "out").read_bytes() == b""


def test_sorting_that_fails_says_why(tmp_path: Path) -> None:
    with pytest.raises(TaskFailed, match="No such file"):
        forked._sort_keys([str(tmp_path / "none")], str(tmp_path / "out"))
    (tmp_path / "in").write_text("x\n")
    with pytest.raises(TaskFailed, match="No space left on device"):
        forked._sort([], [str(tmp_path / "in")], "/dev/full")


@pytest.mark.parametrize(
    ("job_class", "why"),
    [(tasks.IsKilled, r"signal 9 \(Killed\)"), (tasks.Exits, "exit code 7")],
)
def test_a_job_whose_task_is_ended_fails(
    job_class: type[tasks.Copies], why: str, folder: Path
) -> None:
    with pytest.raises(JobFailed, match=why):
        tasks.run(job_class, "local", folder)


def test_the_memory_of_tasks_counts(folder: Path) -> None:
    small = tasks.run(tasks.Copies, "local", folder).cost["rss_mb"]
    (folder / "out").rename(folder / "small")
    assert tasks.run(tasks.Grows, "local", folder).cost["rss_mb"] > small + 80


def test_a_job_is_watched_and_starts_no_thread(folder: Path) -> None:
    threads: list[int] = []
    tasks.run(tasks.Copies, "local", folder, lambda _: threads.append(threading.active_count()))
    assert threads
    assert max(threads) == threading.active_count()


DRIVER = """
import sys
from pathlib import Path
import driver
from tests import tasks
tasks.run(tasks.Copies, "local", Path(sys.argv[1]))
"""


def test_python_warns_of_no_threads_where_the_driver_forks(folder: Path) -> None:
    words = [sys.executable, "-W", "always", "-c", DRIVER, str(folder)]
    ran = subprocess.run(words, cwd=FOLDER, capture_output=True, check=True)
    assert b"multi-threaded" not in ran.stderr  # what Python 3.12 and later say


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
def test_tasks_end_with_their_driver(how: int, folder: Path) -> None:
    (folder / "pids").mkdir()
    words = [sys.executable, "-m", "tests.tasks", "Sleeps", str(folder)]
    environment = {**os.environ, "PIDS": str(folder / "pids")}
    with subprocess.Popen(words, cwd=FOLDER, env=environment) as driver:
        until(lambda: any((folder / "pids").iterdir()))
        driver.send_signal(how)
        driver.wait()
    workers = [int(path.name) for path in (folder / "pids").iterdir()]
    until(lambda: not any(map(living, workers)))
