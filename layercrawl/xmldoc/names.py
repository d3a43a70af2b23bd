"""What XML can carry: names, attribute lists and characters coerced to it.

Follows the HTML standard, 13.2.9 "Coercing an HTML DOM into an infoset".
"""

import re

LONGEST_NAME = 5000
"""Characters; libxml2 refuses names of 50,000 bytes."""

ATTRIBUTE = re.compile(r' (=?[^ \t\n\f\r/>=]*)="([^"]*)"')
_ILLEGAL_IN_NAME = re.compile(r"[^A-Za-z0-9_.-]|^[0-9.-]")
_ILLEGAL = re.compile("[\x00-\x08\x0b\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
_CONTROLS = bytes(c for c in range(0x20) if c not in b"\t\n\r")
_KEEP_SPACE = str.maketrans({"\t": "&#9;", "\n": "&#10;"})
_XLINK = ' xmlns:xlink="http://www.w3.org/1999/xlink"'
_FOREIGN = {"xml:lang": "", "xml:space": ""}
_FOREIGN |= {f"xlink:{n}": _XLINK for n in ("actuate", "arcrole", "href", "role", "show", "title")}
_FOREIGN["xlink:type"] = _XLINK


def name(text: str) -> str:
    """The XML name that stands for an HTML tag's or attribute's name.

    Only ASCII letters, digits and ``-_.`` stay, for expat knows no more than the fourth edition of
    XML 1.0; each other character becomes ``U`` and six hexadecimal digits. Of a name, the first
    `LONGEST_NAME` characters count.

    >>> name("o:p"), name("2nd"), name('x"'), name("a\\ufffdb")
    ('oU00003Ap', 'U000032nd', 'xU000022', 'aU00FFFDb')
    """
    return _ILLEGAL_IN_NAME.sub(lambda match: f"U{ord(match[0]):06X}", text[:LONGEST_NAME])


def attributes(serialised: str) -> str:
    """Attributes of an HTML element, as HTML serialises them, for a start tag in XML.

    Declarations of namespaces are dropped, since namespaces come from the HTML parser, and so are
    names beyond `LONGEST_NAME`, which might become alike if cut.

    >>> attributes(' xmlns="x" xml:lang="en" lang="en" margin:15px""="a\\nb"')
    ' xmlU00003Alang="en" lang="en" marginU00003A15pxU000022U000022="a&#10;b"'
    """
    return "".join(
        f' {name(key)}="{value.translate(_KEEP_SPACE)}"'
        for key, value in ATTRIBUTE.findall(serialised)
        if _is_kept(key)
    )


def foreign_attributes(serialised: str) -> str:
    """The same for an element of SVG or MathML, where HTML knows some attributes with a prefix.

    >>> foreign_attributes(' xlink:href="#a" xmlns:xlink="x" xml:lang="en" a:b=""')
    ' xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="#a" xml:lang="en" aU00003Ab=""'
    """
    pairs = [(k, v) for k, v in ATTRIBUTE.findall(serialised) if _is_kept(k)]
    declarations = dict.fromkeys(_FOREIGN.get(key, "") for key, _ in pairs)
    return "".join(declarations) + "".join(
        f' {key if key in _FOREIGN else name(key)}="{value.translate(_KEEP_SPACE)}"'
        for key, value in pairs
    )


def _is_kept(key: str) -> bool:
    return key != "xmlns" and not key.startswith("xmlns:") and len(key) <= LONGEST_NAME


def characters(xml: str) -> str:
    """The document with each character that XML 1.0 forbids replaced by U+FFFD, form feed by space.

    A carriage return (an HTML parser leaves only those written as references) becomes a reference.

    >>> characters("a\\0b\\fc\\rd\\ud800e\\uffff")
    'a\\ufffdb c&#13;d\\ufffde\\ufffd'
    """
    if _is_clean(xml):
        return xml
    return _ILLEGAL.sub("\ufffd", xml.replace("\f", " ").replace("\r", "&#13;"))


def _is_clean(xml: str) -> bool:
    # A search for a class of characters costs five times what these passes of C do.
    try:
        encoded = xml.encode("utf-8")
    except UnicodeEncodeError:
        return False
    if "\r" in xml or "\ufffe" in xml or "\uffff" in xml:
        return False
    return len(encoded.translate(None, _CONTROLS)) == len(encoded)
