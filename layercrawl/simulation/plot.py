"""Curves as a picture: SVG, written by hand, for any browser."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape

WIDTH, HEIGHT, MARGIN, LEGEND = 640, 480, 50, 190
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999999")
_DASHES = ("", "6 3", "2 2")
POINTS = 200

Points = Sequence[tuple[float, float]]


def svg(title: str, across: str, up: str, curves: Mapping[str, Points]) -> str:
    """The curves in a square from (0, 0) to (1, 1), with axes' names and a legend."""
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH + LEGEND}" height="{HEIGHT}"'
        ' font-family="sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="white"/>',
        _text(WIDTH / 2, 20, title, "middle"),
        *_axes(across, up),
    ]
    for number, (name, points) in enumerate(curves.items()):
        lines += _curve(number, name, points)
    return "\n".join([*lines, "</svg>\n"])


def thinned(values: Sequence[float], points: int = POINTS) -> Points:
    """Of many values over equal steps, so many points.

    >>> thinned([0.5, 1.0])
    [(0.0, 0.0), (0.5, 0.5), (1.0, 1.0)]
    """
    size = len(values)
    steps = sorted({round(size * n / points) for n in range(points + 1)})
    return [(step / size, float(values[step - 1]) if step else 0.0) for step in steps]


def _axes(across: str, up: str) -> Iterator[str]:
    for tenth in range(0, 11, 2):
        x, y = _at(tenth / 10, tenth / 10)
        (left, bottom), (right, top) = _at(0, 0), _at(1, 1)
        yield f'<path d="M{left} {y}H{right}M{x} {bottom}V{top}" stroke="#ddd"/>'
        yield _text(x, bottom + 16, f"{tenth * 10} %", "middle")
        yield _text(left - 6, y + 4, f"{tenth * 10} %", "end")
    yield _text(WIDTH / 2, HEIGHT - 10, across, "middle")
    yield f'<g transform="rotate(-90 12 {HEIGHT / 2})">{_text(12, HEIGHT / 2, up, "middle")}</g>'


def _curve(number: int, name: str, points: Points) -> Iterator[str]:
    colour = _COLOURS[number % len(_COLOURS)]
    dash = _DASHES[number // len(_COLOURS) % len(_DASHES)]
    style = f'fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}"'
    places = " ".join(f"{x:g},{y:g}" for x, y in (_at(*point) for point in points))
    y = MARGIN + 20 * number
    yield f'<polyline points="{places}" {style}/>'
    yield f'<path d="M{WIDTH} {y}h24" {style}/>'
    yield _text(WIDTH + 30, y + 4, name, "start")


def _at(x: float, y: float) -> tuple[float, float]:
    across, up = WIDTH - 2 * MARGIN, HEIGHT - 2 * MARGIN
    return round(MARGIN + x * across, 1), round(HEIGHT - MARGIN - y * up, 1)


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}">{escape(text)}</text>'
