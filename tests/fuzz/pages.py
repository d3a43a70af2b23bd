"""Pages: bytes → text → tree → links, fingerprint and XML; each step holds, and nothing is lost.

The first byte of an input chooses the Content-Type; the others are the body.
"""

from __future__ import annotations

import base64
import re
from xml.parsers import expat

from selectolax.lexbor import LexborHTMLParser, LexborNode

from layercrawl import charset, markup, nesting, outlinks, records, simhash, urls, xmldoc
from layercrawl.records import Page, Target
from layercrawl.rules import Rules
from tests import documents
from tests.fuzz import samples

SKIPPED = ""
TOKENS = (
    b"<a href=x>", b"</a>", b"<b>", b"<p>", b"<div>", b"</div>", b"<table>", b"<tr>", b"<td>",
    b"<li>", b"<svg>", b"<math>", b"<mi>", b"<annotation-xml encoding=text/html>", b"<desc>",
    b"<foreignObject>", b"<template>", b"</template>", b"<select>", b"<option>", b"<frameset>",
    b"<frame src=f>", b"<script>", b"</script>", b"<!--", b"-->", b"<![CDATA[", b"]]>", b"<?x ",
    b"<!doctype html>", b"<title>", b"<textarea>", b"<plaintext>", b"<noscript>", b"<style>",
    b"<base href=http://b.example/>", b"<meta charset=", b"<meta name=robots content=none>",
    b"<meta http-equiv=refresh content='0;url=x'>", b"<link rel=canonical href=c>", b"<form>",
    b" xmlns:x=y", b" xml:lang=en", b" xlink:href=h", b' =""="', b"&nbsp;", b"&#0;", b"&#xd;",
    b"&#x80;", b"&amp", b"&notin;", b"\xef\xbb\xbf", b"\xff\xfe", b"\xed\xa0\x80", b"\xef\xbf\xbf",
    b"\x1b$B", b"\x81\x30", b"\0", b"\f", b"\r", b"utf-16", b"shift_jis", b"gb18030", b"<font>",
    b"<image>", b"<isindex>", b"<h1>", b"<nobr>", b"<button>", b"<ruby><rt>", b"<caption>",
    b"<colgroup>", b"<nav>", b"<header>", b"<p hidden>", b"<nav role=navigation>", b"<body>",
)  # fmt: skip
TYPES = (
    "", "text/html", "text/html; charset=utf-8", "text/html; charset=shift_jis",
    "text/html; charset=gb18030", "text/html; charset=iso-2022-jp", "text/html; charset=utf-16le",
    "text/html; charset=euc-jp", "text/html; charset=big5", "text/html; charset=windows-1252",
    "text/html; charset=x-user-defined", "text/html; charset=iso-2022-kr",
)  # fmt: skip
URL = "http://a.example/d/p"
_ILLEGAL = re.compile("[\x00-\x08\x0b\x0e-\x1f\ufffe\uffff]")
SLACK = 6  # html, body, a link beyond the limit, what tables imply


def seeds() -> list[bytes]:
    texts = samples.cases("markup", "html") + samples.cases("nesting", "html")
    texts += samples.cases("outlinks", "html") + samples.cases("charset", "body")
    bodies = [samples.octets(text) for text in texts]
    bodies += [answer.body for answer in samples.web_answers(4000)]
    return [bytes((number % len(TYPES),)) + body for number, body in enumerate(bodies)]


def target(data: bytes) -> None:
    content_type = TYPES[data[0] % len(TYPES)] if data else ""
    text, encoding = _decoded(data[1:], content_type)
    _read(text, encoding)
    flat, _ = nesting.flatten(text)
    tree = LexborHTMLParser(flat)
    if flat.count("<") > nesting.LIMIT:
        assert _depth(tree) <= nesting.LIMIT + SLACK
    xml = xmldoc.to_xml(text, url=URL, depth=0, status=None)
    if xml[: xml.index("><html")].find(' flattened="true"') < 0:
        tree = LexborHTMLParser(text)
    (texts, elements), (xml_text, xml_elements) = _content(tree), _content_of_xml(xml)
    assert xml_elements == elements + 1  # the page itself
    if len(texts) == 1:
        assert xml_text == texts[0]
    assert sorted(xml_text) == sorted("".join(texts))


def _decoded(body: bytes, content_type: str) -> tuple[str, str]:
    text, encoding = charset.decode(body, content_type)
    exact = charset.inverts(body, text, encoding)
    kept = "" if exact else base64.b64encode(body).decode()
    page = Page(Target(), "ok", html=text, encoding=encoding, body_b64=kept)
    line = records.encode(URL, page)
    assert b"\n" not in line and b"\r" not in line and line.count(b"\t") == 1
    assert records.decode(line, Page) == (URL, page)
    assert page.body() == body
    return text, encoding


def _read(text: str, encoding: str) -> None:
    document = markup.parse(text, URL, encoding)
    for url in (*(link.url for link in document.links), document.canonical, document.refresh):
        assert url is None or urls.normalise(url) == url
    assert all(len(link.text) <= 200 for link in document.links)
    assert len({link.url for link in document.links}) == len(document.links)
    assert 0 <= simhash.fingerprint(document.source_text) < 1 << 64
    page = Page(Target(), "ok", html=text, encoding=encoding)
    found = outlinks.outlinks(URL, page, Rules("any"), "layercrawl")
    records.encode(URL, found)


def _depth(tree: LexborHTMLParser) -> int:
    deepest, level = 0, [tree.root] if tree.root else []
    while level:
        level = [child for node in level for child in node.iter()]
        deepest += 1
    return deepest


def _content(tree: LexborHTMLParser) -> tuple[list[str], int]:
    """The text as XML can carry it, that of each template by itself, and the number of elements."""
    texts, elements = [], 0
    roots: list[LexborNode] = [tree.root] if tree.root else []
    templates = tree.template_fragments()
    while templates:
        template = templates.pop()
        roots.append(template)
        templates += template.template_fragments()
    for root in roots:
        nodes = [(node.tag, node.text_content) for node in root.traverse(include_text=True)]
        elements += sum(tag is not None and not tag.startswith(("-", "#", "!")) for tag, _ in nodes)
        text = "".join(text or "" for tag, text in nodes if tag == "-text")
        texts.append(_ILLEGAL.sub("\ufffd", text.replace("\f", " ")))
    return texts, elements


def _content_of_xml(xml: str) -> tuple[str, int]:
    """The same as expat reads it; libxml2 must accept the document as well."""
    texts: list[str] = []
    names: list[str] = []
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.CharacterDataHandler = texts.append
    parser.StartElementHandler = lambda name, _: names.append(name)
    parser.Parse(xml.encode(), True)
    documents.parsed(xml)
    return "".join(texts), len(names)
