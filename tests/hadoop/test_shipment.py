"""What is sent to the nodes: enough to run a job with nothing but Python."""

from __future__ import annotations

import subprocess
import sys
import tarfile
from io import BytesIO
from pathlib import Path

import pytest

from layercrawl.job import shipment
from layercrawl.job.shipment import Shipment

JOB = Path(__file__).parents[2] / "jobs" / "parser_driver.py"


def task(folder: Path) -> subprocess.CompletedProcess[bytes]:
    """A task as a node runs it: by the archive alone."""
    return subprocess.run(
        [sys.executable, "-S", str(JOB), "--mapper"],
        env={"PYTHONPATH": str(folder)}, input=b"", capture_output=True, check=False,
    )  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("code")
    with tarfile.open(fileobj=BytesIO(Shipment(packages=True).packed())) as archive:
        archive.extractall(made)
    return made


def test_a_task_needs_nothing_else(folder: Path) -> None:
    done = task(folder)
    assert (done.returncode, done.stdout) == (0, b""), done.stderr.decode()


def test_another_python_is_told_at_once(folder: Path) -> None:
    check = folder / "sitecustomize.py"
    text = check.read_text()
    check.write_text(text.replace(shipment.kind(), "Python 3.99 on plan9 pdp11"))
    done = subprocess.run(
        [sys.executable, "-c", ""], env={"PYTHONPATH": str(folder)}, capture_output=True
    )
    check.write_text(text)
    assert done.returncode == 1
    assert b"and the driver Python 3.99 on plan9 pdp11: name an interpreter" in done.stderr


def test_the_name_follows_the_content(monkeypatch: pytest.MonkeyPatch) -> None:
    one = Shipment(packages=True).name
    assert Shipment(packages=True).name == one
    assert Shipment(packages=False).name != one
    monkeypatch.setattr(shipment, "kind", lambda: "another")
    assert Shipment(packages=True).name != one


def test_without_packages_it_is_the_library_alone() -> None:
    with tarfile.open(fileobj=BytesIO(Shipment(packages=False).packed())) as archive:
        assert {name.partition("/")[0] for name in archive.getnames()} == {"layercrawl"}
