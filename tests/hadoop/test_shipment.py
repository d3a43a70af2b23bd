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


OLD = [
    path
    for version in ("2.7", "3.6", "3.10")
    for path in sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))[:1]
]


@pytest.mark.skipif(not OLD, reason="no old Python here")
@pytest.mark.parametrize("packages", [True, False])
def test_a_python_that_is_too_old_is_told_at_once(tmp_path: Path, packages: bool) -> None:
    check = Shipment(packages=packages).texts["sitecustomize.py"]
    (tmp_path / "sitecustomize.py").write_bytes(check)
    for old in OLD:
        done = subprocess.run(
            [old, "-c", "print()"], env={"PYTHONPATH": str(tmp_path)}, capture_output=True
        )
        assert (done.returncode, done.stdout) == (1, b"")
        assert b"and layercrawl needs Python 3.11 or newer: name an interpreter" in done.stderr


def test_an_interpreter_that_is_named_may_be_another_than_the_drivers(tmp_path: Path) -> None:
    check = Shipment(packages=False).texts["sitecustomize.py"].decode()
    assert shipment.kind() not in check


def test_the_name_follows_the_content(monkeypatch: pytest.MonkeyPatch) -> None:
    one = Shipment(packages=True).name
    assert Shipment(packages=True).name == one
    assert Shipment(packages=False).name != one
    monkeypatch.setattr(shipment, "kind", lambda: "another")
    assert Shipment(packages=True).name != one


def test_without_packages_it_is_the_library_alone() -> None:
    with tarfile.open(fileobj=BytesIO(Shipment(packages=False).packed())) as archive:
        tops = {name.partition("/")[0] for name in archive.getnames()}
    assert tops == {"layercrawl", "sitecustomize.py"}
