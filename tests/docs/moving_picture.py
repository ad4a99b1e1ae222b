"""The README's moving picture: what `make demo` prints, as an SVG that scrolls as a terminal does, for light and for
dark pages. The words are the running demo's; the pauses are there for reading."""

import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

from rich.ansi import AnsiDecoder
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from rich.text import Text

from bot.demo.play import SHORT, DemoStep, play
from bot.demo.screen import show_steps
from bot.demo.server import House

COLUMNS, ROWS = 80, 26
WIDE, HIGH, EDGE = 8.4, 17, 16  # of a character, of a line, around the screen
SCROLLING = 0.4  # seconds
MOST_PAUSE, AT_END = 4.5, 5.0
FONT = "14px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
COLOURS = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")  # as terminals number them
THEMES = {
    "light": "#ffffff #d1d9e0 #1f2328 #59636e #d1242f #1a7f37 #9a6700 #0969da #8250df #1b7c83",
    "dark": "#0d1117 #3d444d #f0f6fc #9198a1 #f85149 #3fb950 #d29922 #4493f8 #ab7df8 #39c5cf",
}
PARTS = ("screen", "border", "text", "dim", "red", "green", "yellow", "blue", "magenta", "cyan")

Screenful = tuple[Text, ...]  # the lines that are printed at once


def record(house: House) -> list[Screenful]:
    """What the demo prints, step by step."""
    console = Console(record=True, width=COLUMNS, force_terminal=True, color_system="standard", file=io.StringIO())
    printed: list[Screenful] = [(Text.assemble("$ ", ("make demo", "bold")), Text())]

    def watched(steps: Iterator[DemoStep]) -> Iterator[DemoStep]:
        for step in steps:
            yield step
            printed.append(tuple(AnsiDecoder().decode(console.export_text(styles=True).removesuffix("\n"))))

    show_steps(console, house, watched(play(house, SHORT)))
    return printed


def draw(printed: Sequence[Screenful], theme: str) -> str:
    """The picture. Whoever wants no motion sees its end."""
    starts = [0.0]
    for lines in printed:
        words = sum(len(line.plain.split()) for line in lines)
        starts.append(starts[-1] + min(MOST_PAUSE, 1.0 + words / 15))
    whole = starts.pop() + AT_END
    rules, groups, shown, moves = [], [], 0, []
    for number, (lines, start) in enumerate(zip(printed, starts, strict=True)):
        groups.append(f'<g class="s{number}">{"".join(_line(line, shown + row) for row, line in enumerate(lines))}</g>')
        at = 100 * start / whole
        rules.append(f".s{number}{{animation:k{number} {whole:.1f}s step-end infinite}}")
        rules.append(f"@keyframes k{number}{{0%{{opacity:{int(not start)}}}{at:.2f}%{{opacity:1}}}}")
        before, shown = max(0, shown - ROWS), shown + len(lines)
        after = max(0, shown - ROWS)
        moves.append(f"{at:.2f}%{{transform:translateY({-before * HIGH}px)}}")
        moves.append(f"{at + 100 * SCROLLING / whole:.2f}%{{transform:translateY({-after * HIGH}px)}}")
    end = f"transform:translateY({-max(0, shown - ROWS) * HIGH}px)"
    rules.append(f".all{{{end};animation:all {whole:.1f}s infinite}}@keyframes all{{{''.join(moves)}100%{{{end}}}}}")
    return _page(theme, "\n".join(rules), "\n".join(groups))


def _page(theme: str, rules: str, groups: str) -> str:
    colours = dict(zip(PARTS, THEMES[theme].split(), strict=True))
    fills = "".join(f".{name}{{fill:{colours[name]}}}" for name in PARTS[3:])
    wide, high = COLUMNS * WIDE + 2 * EDGE, ROWS * HIGH + 2 * EDGE
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide:.0f} {high}" role="img">
<title>bouncer demo in a terminal</title>
<style>
text{{font:{FONT};fill:{colours["text"]};white-space:pre}}
.bold{{font-weight:bold}}.italic{{font-style:italic}}.underline{{text-decoration:underline}}{fills}
{rules}
@media (prefers-reduced-motion:reduce){{*{{animation:none!important}}}}
</style>
<rect x=".5" y=".5" width="{wide - 1:.0f}" height="{high - 1}" rx="8" fill="{colours["screen"]}" stroke="{
        colours["border"]
    }"/>
<svg x="{EDGE}" y="{EDGE}" width="{COLUMNS * WIDE:.0f}" height="{ROWS * HIGH}"><g class="all">
{groups}
</g></svg>
</svg>
"""


def _line(line: Text, row: int) -> str:
    column, drawn = 0, []
    for text, style, _ in line.render(Console(width=COLUMNS), end=""):
        drawn.append(_words(text, style, column, row))
        column += Segment(text).cell_length
    return "".join(drawn)


def _words(text: str, style: Style | None, column: int, row: int) -> str:
    words = text.strip()
    if not words:
        return ""
    left = (column + len(text) - len(text.lstrip())) * WIDE
    wide = Segment(words).cell_length * WIDE
    kind = " ".join(_classes(style or Style()))
    told = f' class="{kind}"' if kind else ""
    return f'<text x="{left:.1f}" y="{(row + 0.8) * HIGH:.1f}" textLength="{wide:.1f}"{told}>{escape(words)}</text>'


def _classes(style: Style) -> Iterator[str]:
    if style.color and style.color.number is not None:
        yield COLOURS[style.color.number % len(COLOURS)]
    yield from (name for name in ("bold", "dim", "italic", "underline") if getattr(style, name))


def write(house: House, folder: Path) -> None:
    """demo-light.svg and demo-dark.svg."""
    printed = record(house)
    for theme in THEMES:
        (folder / f"demo-{theme}.svg").write_text(draw(printed, theme), encoding="utf-8")
