#!/usr/bin/env python3
"""Real pages as XML: pages per CPU second, where the time goes, and whether all text is there.

usage: python benchmarks/xml_documents.py FOLDER [MOST_PAGES]; FOLDER has HTML files
"""

from __future__ import annotations

import random
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lxml import etree
from selectolax.lexbor import LexborHTMLParser

from layercrawl import charset, nesting
from layercrawl.xmldoc import to_xml

ROUNDS = 3
_ILLEGAL = re.compile("[\x00-\x08\x0b\x0e-\x1f\ufffe\uffff]")


def pages(folder: Path, most: int) -> list[str]:
    files = sorted(path for path in folder.rglob("*.htm*") if path.is_file())
    chosen = random.Random(1).sample(files, min(most, len(files)))
    return [charset.decode(path.read_bytes(), None)[0] for path in chosen]


def seconds(work: Callable[[str], Any], texts: list[str]) -> float:
    """The least CPU time of some rounds: others share the machine."""
    found = []
    for _ in range(ROUNDS):
        start = time.process_time()
        for text in texts:
            work(text)
        found.append(time.process_time() - start)
    return min(found)


def text_of_tree(html: str) -> str:
    """The text of the tree, that of templates left out, as XML can carry it."""
    tree = LexborHTMLParser(html)
    nodes = tree.root.traverse(include_text=True) if tree.root else ()
    text = "".join(node.text_content or "" for node in nodes if node.tag == "-text")
    return _ILLEGAL.sub("\ufffd", text.replace("\f", " "))


def text_of_xml(xml: str) -> str:
    root = etree.fromstring(xml.encode())
    for template in list(root.iter("{http://www.w3.org/1999/xhtml}template")):
        for child in list(template):
            template.remove(child)
        template.text = None
    return "".join(root.itertext("{*}*"))


def main() -> None:
    texts = pages(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1 << 20)
    size = sum(map(len, texts)) / len(texts) / 1000
    print(f"{len(texts)} pages of {size:.1f} thousand characters")
    steps: dict[str, Callable[[str], Any]] = {
        "parse": LexborHTMLParser,
        "parse, serialise as HTML": lambda html: LexborHTMLParser(html).html,
        "flatten (skipped if small)": nesting.flatten,
        "to_xml": to_xml,
    }
    for name, work in steps.items():
        took = seconds(work, texts)
        print(
            f"{name:<28}{1000 * took / len(texts):>8.3f} ms a page{len(texts) / took:>8.0f} /CPU s"
        )
    equal = sum(text_of_xml(to_xml(html)) == text_of_tree(html) for html in texts)
    print(f"text equal to the tree's: {equal} of {len(texts)}")


if __name__ == "__main__":
    main()
