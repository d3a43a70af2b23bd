"""The XML of the pages of html5lib's tests: the tree that each should have, coerced to XML."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml import etree

from layercrawl.xmldoc import to_xml
from tests import documents, html5lib_tests

PREFIXES = {
    "http://www.w3.org/1999/xhtml": "",
    "http://www.w3.org/2000/svg": "svg ",
    "http://www.w3.org/1998/Math/MathML": "math ",
    "http://www.w3.org/1999/xlink": "xlink ",
    "http://www.w3.org/XML/1998/namespace": "xml ",
}
# Of today's standard `select` keeps most elements, and processing instructions are nodes.
OLDER = {
    "menuitem-element.dat:14", "tests1.dat:30", "tests1.dat:102", "tests10.dat:4",
    "tests10.dat:5", "tests10.dat:17", "tests10.dat:18", "tests18.dat:14", "tests18.dat:15",
    "tests7.dat:31", "tests9.dat:5", "tests9.dat:6", "tests9.dat:18", "tests9.dat:19",
    "html5test-com.dat:12", "tests1.dat:40", "tests1.dat:44", "tests1.dat:47",
}  # fmt: skip


def lines(node: etree._Element, depth: int) -> Iterator[str]:
    """The tree below a node as the tests write it."""
    indent = "  " * depth
    if node.text:
        yield f'{indent}"{node.text}"'
    for child in node:
        if child.tag is etree.Comment:
            yield f"{indent}<!-- {child.text} -->"
        else:
            yield f"{indent}<{_name(child.tag)}>"
            yield from sorted(
                f'{indent}  {_name(key)}="{value}"' for key, value in child.attrib.items()
            )
            yield from lines(child, depth + 1)
        if child.tail:
            yield f'{indent}"{child.tail}"'


def _name(tag: str) -> str:
    name = etree.QName(tag)
    return PREFIXES[name.namespace or "http://www.w3.org/1999/xhtml"] + name.localname


def coerced(tree: str) -> list[str]:
    """The lines of an expected tree as XML can have them."""
    found, template = [], []
    attributes: list[str] = []
    for entry in re.split(r"(?:\A|\n)\| ", tree)[1:]:
        depth = (len(entry) - len(entry.lstrip(" "))) // 2
        while template and template[-1] >= depth:
            template.pop()
        text = entry.lstrip(" ") if not entry.lstrip(" ").startswith('"') else entry[2 * depth :]
        indent = "  " * (depth - len(template))
        if text == "content":
            template.append(depth)
        elif '="' in text[1:] and text.endswith('"') and not text.startswith('"'):
            attributes += [f"{indent}{a}" for a in _attribute(text)]
        else:
            found += sorted(attributes)
            attributes = []
            found += [f"{indent}{line}" for line in _node(text)]
    return found + sorted(attributes)


def _attribute(text: str) -> Iterator[str]:
    name, _, value = text.partition('="')
    prefix, _, local = name.rpartition(" ")
    if prefix != "xmlns" and not re.match("xmlns(:|$)", name):
        space = f"{prefix} " if prefix else ""
        yield f'{space}{_xml_name(local)}="{_characters(value)}'


def _node(text: str) -> Iterator[str]:
    if text.startswith("<!-- "):
        data = re.sub("-(?=-)", "- ", text[5:-4])
        yield f"<!-- {_characters(data + ' ' if data.endswith('-') else data)} -->"
    elif text.startswith('"'):
        yield _characters(text)
    elif not text.startswith("<!"):
        prefix, _, local = text[1:-1].rpartition(" ")
        yield f"<{prefix}{prefix and ' '}{_xml_name(local)}>"


def _xml_name(name: str) -> str:
    first = re.sub("[^A-Za-z_]", _escaped, name[:1])
    return first + re.sub("[^A-Za-z0-9_.-]", _escaped, name[1:])


def _escaped(match: re.Match[str]) -> str:
    return f"U{ord(match[0]):06X}"


def _characters(text: str) -> str:
    text = text.replace("\f", " ")
    return re.sub("[\0-\x08\x0b\x0e-\x1f\ufffe\uffff\ud800-\udfff]", "\ufffd", text)


def test_every_tree_is_that_of_the_standard() -> None:
    tests = [test for test in html5lib_tests.tree_tests() if test.id not in OLDER]
    assert len(tests) == 1498
    wrong = [test for test in tests if list(lines(tree(test.html), 0)) != coerced(test.tree)]
    assert wrong == []


def test_what_is_older_than_the_standard_is_well_formed_still() -> None:
    tests = [test for test in html5lib_tests.tree_tests() if test.id in OLDER]
    assert len(tests) == len(OLDER) == 18
    for test in tests:
        tree(test.html)


def test_the_input_of_each_test_of_the_tokenizer_is_well_formed() -> None:
    inputs = html5lib_tests.tokenizer_inputs()
    assert len(inputs) == 6808
    for text in inputs:
        tree(text)


def tree(html: str) -> etree._Element:
    return documents.parsed(to_xml(html, url="http://a.example/"))
