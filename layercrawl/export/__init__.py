"""A crawl in the forms that other programs read: one function per form, by its name in `EXPORTS`.

Each streams the records of complete stores into a target that is not there yet (see `target.new`),
and returns how many it wrote; the target's ending may say more, such as ``.zip``. ValueError where
the target is there, or its form cannot be written; BadRoot where the stores that it is made of are
not complete.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from layercrawl.export.links import links
from layercrawl.export.text import text
from layercrawl.export.warc import warc
from layercrawl.export.xml import xml
from layercrawl.stores import Stores

Export = Callable[[Stores, Path], int]

EXPORTS: dict[str, Export] = {"xml": xml, "warc": warc, "text": text, "links": links}
