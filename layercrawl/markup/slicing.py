"""A huge page in slices that are parsed one by one, since a parsed page is large.

A tree takes 40 to 100 bytes for each of its page's: 300 MB for 500,000 links. All but the hugest
pages are one slice. What begins in one slice does not go on in the next: a link may lose its text
there, and a landmark its end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

LONGEST = 1 << 20
"""From this many characters on the next start tag begins a new slice."""
_RAW_TEXT = "iframe|noembed|noframes|plaintext|script|style|textarea|title|xmp"
_TOKEN = re.compile(
    r"<!--(?:-?>|.*?(?:--!?>|\Z))"
    rf"|(?P<start><(?:(?P<raw>{_RAW_TEXT})(?=[\s/>])|[a-z]))"
    r"(?:[^>=]++|=\s*+(?:\"[^\"]*+\"?+|'[^']*+'?+)?+)*+(?(raw).*?(?:</(?P=raw)(?=[\s/>])|\Z))",
    re.IGNORECASE | re.DOTALL,
)


def slices(html: str) -> Iterator[str]:
    """Yield the page in parts, each beginning with a tag that is neither comment nor script.

    >>> list(slices("<p>"))
    ['<p>']
    >>> [len(part) for part in slices("<!--" + "<p>" * LONGEST + "--><p><p><p>")]
    [3145735, 9]
    """
    begin = 0
    for match in _TOKEN.finditer(html) if len(html) > LONGEST else ():
        if match["start"] and match.start() >= begin + LONGEST:
            yield html[begin : match.start()]
            begin = match.start()
    yield html[begin:]
