"""The tokens of HTML source that matter for nesting: tags, and what holds none.

As the tokeniser of the HTML standard (13.2.5) has them, in expressions that take linear time.
"""

import re

SPACE = " \t\n\f\r"
"""HTML's white space, for a class of characters."""
ATTRIBUTE = (
    rf"(?:=[^{SPACE}/>=]*+|[^{SPACE}/>=]++)"
    rf"(?:[{SPACE}]*+=[{SPACE}]*+(?:\"[^\"]*+\"|'[^']*+'|[^{SPACE}>\"'][^{SPACE}>]*+|(?=>)))?+"
)
_ATTRIBUTES = re.compile(rf"[{SPACE}/]*+{ATTRIBUTE}")
TOKEN = re.compile(
    r"<(?:(?P<end>/?)(?P<name>[a-zA-Z][^ \t\n\f\r/>]*+)"
    rf"(?P<attributes>(?:[{SPACE}]++|/(?!>)|{ATTRIBUTE})*+)(?P<closed>/?)>"
    r"|!--(?:-?>|.*?(?:--!?>|\Z))"
    r"|(?P<section>!\[CDATA\[)"
    r"|[!?/][^>]*+>"
    r"|[a-zA-Z!?/].*+)",  # a tag that the page's end cuts off
    re.DOTALL,
)
RAW_TEXT = frozenset(
    ("iframe", "noembed", "noframes", "plaintext", "script", "style", "textarea", "title", "xmp")
)
_RAW_END = {name: re.compile(rf"</{name}(?=[{SPACE}/>])", re.I) for name in RAW_TEXT}
_SCRIPT_MARK = re.compile(rf"<!--|-->|</?script(?=[{SPACE}/>])", re.I)


def lower(name: str) -> str:
    """A tag's name as the parser knows it: only ASCII letters have a lower case.

    >>> lower("LINK"), lower("LIN\u212a")
    ('link', 'LIN\u212a')
    """
    return name.lower() if name.isascii() else name


def split_attributes(attributes: str) -> list[str]:
    """The text of each attribute of a start tag, with what parts it from the one before.

    >>> split_attributes(' a=">" b/c')
    [' a=">"', ' b', '/c']
    """
    return [match[0] for match in _ATTRIBUTES.finditer(attributes)]


def attributes(text: str) -> dict[str, str]:
    """Names in lower case and values, character references as they are; of two alike the first.

    >>> attributes(" A = '1' a=2 b")
    {'a': '1', 'b': ''}
    """
    found: dict[str, str] = {}
    for attribute in split_attributes(text):
        stripped = attribute.lstrip(f"{SPACE}/")
        name, _, value = stripped[1:].partition("=")
        name = lower((stripped[:1] + name).rstrip(SPACE))
        value = value.lstrip(SPACE)
        found.setdefault(name, value[1:-1] if value[:1] in ("'", '"') else value)
    return found


def raw_text_end(html: str, name: str, start: int) -> int:
    """Where the end tag begins that ends raw text of this element, which begins at `start`."""
    if name == "plaintext":
        return len(html)
    if name == "script":
        return _script_end(html, start)
    match = _RAW_END[name].search(html, start)
    return match.start() if match else len(html)


def _script_end(html: str, start: int) -> int:
    """Tokenisation, 13.2.5.4 and following: a script may hold another inside ``<!-- -->``.

    >>> html = "<script><!--<script></script>--></script>"
    >>> _script_end(html, 8) == html.rindex("</script>")
    True
    """
    escaped = nested = False
    position = start
    while match := _SCRIPT_MARK.search(html, position):
        position = match.end()
        mark = match[0].lower()
        if mark == "<!--":
            escaped = True
            position -= 2  # its hyphens may belong to -->
        elif mark == "-->":
            escaped = nested = False
        elif mark == "</script":
            if not nested:
                return match.start()
            nested = False
        else:
            nested = escaped
    return len(html)
