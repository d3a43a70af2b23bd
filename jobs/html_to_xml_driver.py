"""HtmlToXmlDriver: merged Pages in, one well-formed XML document per page out; map only."""

from __future__ import annotations

from collections.abc import Iterator

from layercrawl.job import Job
from layercrawl.records import Page, XmlPage
from layercrawl.xmldoc import to_xml


class HtmlToXmlDriver(Job):
    """Turns HTML into XML by way of the DOM tree."""

    STAGE = "html_to_xml"
    READS = (Page,)
    WRITES = XmlPage
    documents = 0

    def mapper(self, url: str, page: Page) -> Iterator[tuple[str, XmlPage]]:
        self.documents += 1
        xml = to_xml(
            page.html,
            url=url,
            depth=page.target.depth,
            fetched=page.fetched,
            status=page.status,
            encoding=page.encoding,
            digest=page.digest or None,
            duplicates=len(page.duplicates),
            gone="true" if page.gone else None,
        )
        yield url, XmlPage(xml)

    def mapper_final(self) -> None:
        self.count("xml", {"documents": self.documents})


if __name__ == "__main__":
    HtmlToXmlDriver.run()
