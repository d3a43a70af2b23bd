"""A crawl in the forms that other programs read: one function per form, by its name in `EXPORTS`.

Each streams the records of complete stores into a target that is not there yet, and returns how
many it wrote. What was written before an error stays beside the target, under its name and
``.partial``.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from layercrawl.export.links import links
from layercrawl.export.text import text
from layercrawl.export.warc import warc
from layercrawl.export.xml import xml
from layercrawl.stores import Stores

Export = Callable[[Stores, Path, str], int]
"""Takes the stores, a new path to write to, and the ending of its final name, such as ``.zip``."""

EXPORTS: dict[str, Export] = {"xml": xml, "warc": warc, "text": text, "links": links}


def export(name: str, crawl: Stores, target: Path) -> int:
    """Write the export of that name to `target`; how many records it has.

    ValueError where the target is there already, or its form cannot be written; BadRoot where the
    stores that it is made of are not complete.
    """
    if target.exists():
        raise ValueError(f"{target} is there already: name a new file or folder")
    partial = target.with_name(f"{target.name}.partial")
    shutil.rmtree(partial) if partial.is_dir() else partial.unlink(missing_ok=True)
    written = EXPORTS[name](crawl, partial, target.suffix)
    partial.rename(target)
    return written
