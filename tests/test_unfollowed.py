"""The two ways in which a link may be cut that no crawl of a small web shows."""

from __future__ import annotations

from pathlib import Path

from layercrawl import sitemaps, stores
from layercrawl.asking.unfollowed import cut_links, would_be_cut
from layercrawl.outlinks import MAX_NESTED
from layercrawl.records import Outlinks, Page, Target, encode
from layercrawl.stores import Marker, Stores

SEED = "http://a.example/"


def lay(root: Path, settings: dict[str, object], html: str, target: Target | None = None) -> Stores:
    """A crawl of one page."""
    crawl = Stores(root)
    target = target or Target()
    page = Page(target, "ok", html=html, encoding="utf-8")
    lines = {"doc": page, "out": Outlinks(target, "ok", cuts={"scope": 1})}
    for store, record in lines.items():
        sibling = stores.new(crawl.layer(store, 0))
        sibling.mkdir(parents=True)
        (sibling / "part-00000").write_bytes(encode(SEED, record) + b"\n")
        marker = Marker(store, settings, {}, "2026-11-30T12:00:00Z", {})
        stores.publish(sibling, crawl.layer(store, 0), marker)
    crawl.add_seeds([SEED])
    return crawl


def test_a_sitemap_that_lists_it(tmp_path: Path) -> None:
    text = "<urlset><url><loc>/a.pdf</loc></url><url><loc>/ok</loc></url></urlset>"
    crawl = lay(tmp_path, {}, text, Target("sitemap", 1))
    (line,) = cut_links(crawl, f"{SEED}a.pdf")
    assert line == f"layer 0: {SEED} lists it; cut: file type"


def test_a_sitemap_that_lists_it_after_too_many_others(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(sitemaps, "MAX_URLS", 2)
    text = "".join(f"{SEED}{n}\n" for n in range(4))
    crawl = lay(tmp_path, {}, text, Target("sitemap", 1))
    assert list(cut_links(crawl, f"{SEED}1")) == []
    (line,) = cut_links(crawl, f"{SEED}3")
    assert line == f"layer 0: {SEED} lists it; cut: after the first 2 entries"


def test_a_sitemap_of_another_site_that_a_robots_txt_names(tmp_path: Path) -> None:
    crawl = lay(tmp_path, {}, "Sitemap: http://b.example/s.xml", Target("robots"))
    (line,) = cut_links(crawl, "http://b.example/s.xml")
    assert line == f"layer 0: {SEED} names it as a sitemap; cut: scope"


def test_a_sitemap_that_indexes_nest_too_deeply(tmp_path: Path) -> None:
    text = "<sitemapindex><sitemap><loc>/s.xml</loc></sitemap></sitemapindex>"
    crawl = lay(tmp_path, {}, text, Target("sitemap", MAX_NESTED))
    (line,) = cut_links(crawl, f"{SEED}s.xml")
    assert line == f"layer 0: {SEED} lists it; cut: nested sitemap"


def test_nothing_is_known_before_a_page_was_read(tmp_path: Path) -> None:
    assert would_be_cut(Stores(tmp_path), "http://b.example/x.png") == ""


def test_a_parameter_that_is_left_out(tmp_path: Path) -> None:
    crawl = lay(tmp_path, {"drop_params": ["sid"]}, "")
    assert would_be_cut(crawl, f"{SEED}x?sid=1") == f"it is known as {SEED}x"


def test_each_layer_is_read_by_its_own_settings(tmp_path: Path) -> None:
    html = "<a href=http://b.example/>b</a>"
    (line,) = cut_links(lay(tmp_path / "site", {"scope": "site"}, html), "http://b.example/")
    assert line == f"layer 0: {SEED} links to it; cut: scope"
    assert not list(cut_links(lay(tmp_path / "any", {"scope": "any"}, html), "http://b.example/"))
