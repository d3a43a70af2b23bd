"""The files that an export makes: new, and under their names only when they are whole."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def new(target: Path) -> Iterator[Path]:
    """Give a path to write to, which becomes `target` at the end of the block.

    What an error left unfinished stays under the name with ``.partial`` at its end, and goes when
    it is begun anew. ValueError where `target` is there already.
    """
    if target.exists():
        raise ValueError(f"{target} is there already: name a new file or folder")
    partial = target.with_name(f"{target.name}.partial")
    shutil.rmtree(partial) if partial.is_dir() else partial.unlink(missing_ok=True)
    yield partial
    partial.rename(target)
