"""Simulated crawls of small graphs, and graphs that cannot be read."""

from __future__ import annotations

import numpy as np
import pytest

from layercrawl import cli, records, simulation
from layercrawl.ordering import ORDERS
from layercrawl.records import Outlinks, Target
from layercrawl.simulation import curves, plot, webgraph
from tests.contracts import test_ordering as contracts

EDGES = "# from to\na b\na c\nb d\nb a\nc d\nd d\nd e\n"


@pytest.fixture
def edges(tmp_path):
    (tmp_path / "links.txt").write_text(EDGES)
    return tmp_path / "links.txt"


def test_an_edge_list_is_a_graph(edges) -> None:
    web = webgraph.read(edges)
    assert web.names == list("abcde") and web.whole.targets.tolist() == [1, 2, 0, 3, 3, 3, 4]
    assert web.targets.tolist() == [1, 2, 0, 3, 3, 4]  # a crawl follows no link to its own page


def test_numbers_are_sorted_as_numbers(tmp_path) -> None:
    (tmp_path / "links.txt").write_text("10 9\n9 100\n")
    assert webgraph.read(tmp_path / "links.txt").names == ["9", "10", "100"]


@pytest.mark.parametrize("name", ORDERS)
def test_every_reachable_page_is_fetched_once(name, edges) -> None:
    web = webgraph.read(edges)
    layers = list(simulation.crawl(web, ORDERS[name], np.array([0]), 2))
    assert sorted(np.concatenate(layers).tolist()) == [0, 1, 2, 3, 4]
    assert [len(layer) for layer in layers] == [1, 2, 1, 1]


@pytest.mark.parametrize("name", ORDERS)
def test_it_chooses_as_the_plan_of_a_crawl_does(name) -> None:
    """The layers of OptimizerDriver's own steps, on the same web."""
    links = {"s": "lrm", "l": "axm", "r": "bxs", "a": "yz", "x": "lz", "b": "y", "m": "xr"}
    web = {
        contracts.node(page): [contracts.node(link) for link in to] for page, to in links.items()
    }
    names = sorted({*web, *(link for to in web.values() for link in to)})
    pairs = [(page, link) for page, to in web.items() for link in to]
    simulated = simulation.crawl(
        webgraph._named(pairs, set(names), ()),
        ORDERS[name],
        np.array([names.index(contracts.node("s"))]),
        2,
    )
    config = contracts.Config(order=name, budget=2, depth=9)
    crawled = contracts.crawl(web, [contracts.node("s")], config)
    told = [[records.decode(line, Target)[0] for line in layer] for layer in crawled]
    assert [[names[number] for number in layer] for layer in simulated] == told


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("links.txt", "a b\na\n", "line 2: not FROM TO, but 'a'"),
        ("links.txt", "a b c\n", "line 1: not FROM TO"),
        ("links.txt", "# nothing\n", "no links"),
        ("links.npz", "PK", "no CSR matrix"),
        ("links.npz", "", "no CSR matrix"),
    ],
)
def test_what_is_no_graph_is_told(name, text, why, tmp_path, capsys) -> None:
    (tmp_path / name).write_text(text)
    assert cli.main(["simulate", str(tmp_path / name)]) == 2
    said = capsys.readouterr().err
    assert why in said and str(tmp_path) in said


@pytest.mark.parametrize(
    ("indptr", "indices", "why"),
    [
        ([0, 2, 1], [0], "indptr does not rise"),
        ([0, 1, 3], [0, 1], "indptr does not rise from 0 to the 2 of indices"),
        ([], [], "indptr does not rise"),
        ([0, 1, 2], [0, 2], "none of the 2"),
        ([0, 1, 2], [0, -1], "none of the 2"),
    ],
)
def test_a_matrix_with_holes_is_told(indptr, indices, why, tmp_path) -> None:
    np.savez(tmp_path / "holes.npz", indptr=np.array(indptr, int), indices=np.array(indices, int))
    with pytest.raises(webgraph.BadGraph, match=why):
        webgraph.read(tmp_path / "holes.npz")


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--order", "best"], "choose of breadth-first"),
        (["--order", "best-first"], "a graph has no texts to judge"),
        (["--budget", "0"], "--budget 0"),
        (["--seeds", "nowhere.txt"], "name a readable text file"),
    ],
)
def test_bad_use_is_told(words, why, edges, capsys) -> None:
    assert cli.main(["simulate", str(edges), *words]) == 2
    assert why in capsys.readouterr().err


def test_the_table_and_the_picture(edges, tmp_path, capsys) -> None:
    (tmp_path / "seeds.txt").write_text("a\n")
    words = ["--seeds", str(tmp_path / "seeds.txt"), "--plot", str(tmp_path / "curves.svg")]
    words += ["--order", "pagerank", "--order", "depth-first", "--budget", "1"]
    assert cli.main(["simulate", str(edges), *words]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "5 pages, 6 links, 1 seeds, 1 a layer"
    assert [line.split()[0] for line in said[2:4]] == ["pagerank", "depth-first"]
    picture = (tmp_path / "curves.svg").read_text()
    assert (
        picture.startswith("<svg") and picture.count("<polyline") == 2 and ">pagerank<" in picture
    )


def test_a_crawls_own_links_are_a_graph(tmp_path) -> None:
    for layer, (url, links, depth) in enumerate([("http://a.example/", ["b", "c"], 0),
                                                 ("http://a.example/b", ["d"], 1)]):  # fmt: skip
        for store in ("in", "out"):
            folder = tmp_path / store / f"layer-{layer:03}"
            folder.mkdir(parents=True)
            (folder / "_MARKER.json").write_text("{}")
        page = Outlinks(
            Target(depth=depth), "ok", links=[(f"http://a.example/{link}", "") for link in links]
        )
        (folder / "part-00000").write_bytes(records.encode(url, page) + b"\n")
    web = webgraph.read(tmp_path)
    assert [web.names[seed] for seed in web.seeds] == ["http://a.example/"]
    assert len(web.names) == 4 and np.diff(web.ends).tolist() == [2, 1, 0, 0]
    assert len(set(web.whole.hosts.tolist())) == 1


def test_a_curve_is_told_by_its_shares() -> None:
    curve = curves.curve(np.array([2, 0, 1, 3]), np.array([2.0, 1.0, 5.0, 2.0]))
    assert curve.gathered.tolist() == [0.5, 0.7, 0.8, 1.0]
    assert (curve.at(0.5), curve.half, curve.mean) == (0.7, 0.25, 0.75)


def test_a_picture_escapes_names() -> None:
    assert "a&lt;b" in plot.svg("t", "x", "y", {"a<b": [(0, 0), (1, 1)]})
