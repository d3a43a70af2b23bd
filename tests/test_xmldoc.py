"""Every page becomes an XML document that two parsers accept, with all of its text."""

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree
from selectolax.lexbor import LexborHTMLParser

from layercrawl import nesting, xmldoc
from layercrawl.xmldoc import LONGEST
from tests.documents import parsed

CASES = json.loads((Path(__file__).parent / "data" / "xmldoc.json").read_text("utf-8"))
XHTML = "{http://www.w3.org/1999/xhtml}"
_MARKUP = """
<p> </p> <b> </b> <div> </div> <a/href='x&#10;y'> </a> <br> <img/1=2> <table> <tr><td> </table>
<svg> </svg> <svg><title> <math><mi> </math> <svg><style>&lt;b> <script>a<b& </script> <style>
</style> <xmp> </xmp> <template> </template> <!--a--b --> <![CDATA[ ]]> <?a?> <!doctype/x>
<o:p/=a/"b'> <a<b/c<d> </a<b> <select><option> <form> <plaintext> <font> &amp; &#0; &#x1; &nbsp;
&lt; < & a
"""
PIECES = [*_MARKUP.split(), "\0", "\r", "\f", " ", "\ufffe", "\ud800"]
soup = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=5)), max_size=40).map("".join)


def to_xml(html: str, **attributes: str | int | None) -> str:
    return xmldoc.to_xml(html, **{"url": "http://a.example/"} | attributes)


def body(xml: str) -> str:
    return re.search("<body>(.*)</body>", xml, re.DOTALL)[1]


def dom_text(html: str) -> str:
    """The text of the tree, templates' too, as XML can carry it."""
    tree = LexborHTMLParser(re.sub("[\ud800-\udfff]", "\ufffd", html))
    parts, stack = [], [tree.root]
    while stack:
        node = stack.pop()
        if node.tag == "-text":
            parts.append(node.text_content)
            continue
        children, child = [], node.first_child
        while child is not None:
            children.append(child)
            child = child.next
        stack += reversed(children or node_fragment(node))
    text = "".join(parts).replace("\f", " ")
    return re.sub("[\x00-\x08\x0b\x0e-\x1f\ufffe\uffff]", "\ufffd", text)


def node_fragment(node) -> list:
    if node.tag != "template":
        return []
    return [f for f in node.template_fragments() if f.parent.mem_id == node.mem_id]


def xml_text(root: etree._Element) -> str:
    return "".join(root.itertext("*"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["description"])
def test_case(case: dict) -> None:
    xml = to_xml(case["html"])
    parsed(xml)
    assert body(xml) == case["body"]


def test_page_carries_what_is_known_of_it() -> None:
    page = parsed(to_xml("<p>a", url="http://a.example/?b&c", depth=2, status=None, encoding='"'))
    assert page.tag == "{urn:layercrawl:page}page"
    assert list(page.attrib.items()) == [
        ("url", "http://a.example/?b&c"), ("depth", "2"), ("encoding", '"')
    ]  # fmt: skip
    assert [child.tag for child in page] == [f"{XHTML}html"]


@pytest.mark.parametrize(
    ("html", "title", "lang"),
    [
        ("<html lang=' en-GB '><title> A\n &amp; \"B\" </title>", 'A & "B"', "en-GB"),
        ("<p>a<svg><title>drawing</title></svg><title>page</title>", "page", None),
        ("<p>a", None, None),
        ("<html lang=''><title> </title>", None, None),
        (f"<title>{'x' * 1000}</title>", "x" * 200, None),
    ],
)
def test_page_says_its_title_and_language(html: str, title: str | None, lang: str | None) -> None:
    page = parsed(to_xml(html))
    assert (page.get("title"), page.get("lang")) == (title, lang)


def test_a_page_that_nests_deeply_but_little_is_not_looked_at_as_source() -> None:
    html = "<div>" * 150 + "<br>" * 300 + "<!--" + "<div>" * 300 + "-->" + "x"
    assert parsed(to_xml(html)).get("flattened") is None
    assert parsed(to_xml("<b>" * 150 + html)).get("flattened") == "true"


@pytest.mark.parametrize("tag", ["<base ", "<meta ", "<script ", "<a"])
def test_thousands_of_unfinished_tags_are_a_document(tag: str) -> None:
    assert parsed(to_xml(tag * 30_000)).tag == "{urn:layercrawl:page}page"


@pytest.mark.parametrize("html", ["<!-- c -->", "\ufeff", "\n"])
def test_a_page_without_content_is_a_document(html: str) -> None:
    assert xml_text(parsed(to_xml(html))).strip("\ufeff") == ""


def test_attributes_given_are_coerced_as_well() -> None:
    page = parsed(to_xml("", url="a\x00\n\ud800"))
    assert page.get("url") == "a\ufffd\n\ufffd"


def test_doctype_and_declaration_are_dropped() -> None:
    xml = to_xml("<?xml version='1.0'?><!doctype html><title>a</title>")
    assert "doctype" not in xml.lower()
    assert parsed(xml).find(f".//{XHTML}title").text == "a"


def test_an_xhtml_page_declares_its_namespace_once() -> None:
    page = parsed(to_xml('<html xmlns="http://www.w3.org/1999/xhtml" lang=en><p>a'))
    assert page[0].tag == f"{XHTML}html"
    assert page[0].get("lang") == "en"


def test_deep_pages_are_flattened_and_marked() -> None:
    page = parsed(to_xml("<div>" * 3000 + "DEEP" + "</div>" * 3000))
    assert page.get("flattened") == "true"
    assert xml_text(page) == "DEEP"
    assert parsed(to_xml("<div>" * 100)).get("flattened") is None
    assert nesting.LIMIT < 256 - 4


@pytest.mark.parametrize("unit", ["x", "&amp;", "&nbsp;", "\U0001f600"])
def test_long_text_is_parted_and_not_cut(unit: str) -> None:
    html = f"<p>{unit * (LONGEST + 10)}</p>"
    xml = to_xml(html)
    page = parsed(xml)
    assert len(xml_text(page)) == LONGEST + 10
    assert page.get("cut") is None


def test_long_values_are_cut_and_the_page_is_marked() -> None:
    page = parsed(to_xml(f"<p title='{'&amp;' * LONGEST}' id=a>b"))
    assert page.get("cut") == "true"
    value = page.find(f".//{XHTML}p").get("title")
    assert 0 < len(value) <= LONGEST and set(value) == {"&"}
    assert xml_text(page) == "b"


def test_long_comments_and_names_are_cut() -> None:
    parsed(to_xml(f"<p><!--{'-' * 11_000_000}-->"))
    page = parsed(to_xml(f"<{'x' * 60_000}>a</{'x' * 60_000}><p {'y' * 60_000}=1 z=2>b"))
    assert xml_text(page) == "ab"
    assert page.find(f".//{XHTML}p").attrib == {"z": "2"}


@settings(max_examples=300, deadline=None)
@given(soup)
def test_text_of_the_xml_is_text_of_the_tree(html: str) -> None:
    assert xml_text(parsed(to_xml(html))) == dom_text(html)


@settings(max_examples=100, deadline=None)
@given(soup)
def test_tags_of_the_xml_are_tags_of_the_tree(html: str) -> None:
    html = re.sub('<template>|[<:"](?=[^<>]*>)', "", html)
    tree = LexborHTMLParser(re.sub("[\ud800-\udfff]", "\ufffd", html))
    elements = [node.tag for node in tree.css("*")]
    names = [etree.QName(e).localname for e in parsed(to_xml(html)).iter("{*}*")][1:]
    assert [n.lower() for n in names if "U0" not in n] == [
        e.lower() for e in elements if re.fullmatch("[A-Za-z0-9_.-]+", e)
    ]


def test_a_page_of_too_many_tags_keeps_its_text_in_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xmldoc, "MOST_TAGS", 1000)
    monkeypatch.setattr("layercrawl.markup.slicing.LONGEST", 5000)
    html = "<title>T</title>" + "".join(f"<p>{n} <a href=/{n}>link {n}</a>" for n in range(3000))
    tree = ElementTree.fromstring(xmldoc.to_xml(html + "<style>a>b</style><script>1<2</script>"))
    text = "".join(tree.itertext())
    assert all(f"{n} link {n}" in text for n in range(3000))
    assert [len(tree.findall(f".//{{*}}{name}")) for name in ("html", "head", "body")] == [1, 1, 1]
    assert len(tree.findall(".//{*}a")) == 3000
    assert "a>b" in text and "1<2" in text
