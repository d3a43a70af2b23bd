"""Elements are found by Lexbor's numbers for their tags."""

import pytest

from layercrawl.markup import elements

TAGS = [
    pytest.param(tag, name, id=tag) for name, tags in elements._TAGS.items() for tag in tags.split()
]


@pytest.mark.parametrize("tag, name", TAGS)
def test_each_tag_is_found_in_any_case_and_in_its_list_only(tag, name):
    page = f"<frameset><{tag.upper()}>" if tag == "frame" else f"<p>x<{tag.upper()}>"
    _, found = elements.read(page)
    counts = {field: [node.tag for node in nodes] for field, nodes in found._asdict().items()}
    assert counts == {field: [tag] if field == name else [] for field in found._fields}


def test_bytes_are_utf_8():
    tree, found = elements.read("<title>é</title>".encode())
    assert found.titles[0].text() == "é"
    assert tree.raw_html == "<title>é</title>".encode()
