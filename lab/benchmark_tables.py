"""The tables of BENCHMARKS.md, from the dated results in lab/results: `python -m lab.benchmark_tables` writes them.

In the page a line `<!-- NAME -->` stands before the table of lab/results/NAME.json. Of a result:

- `date`, `commit` (null where nobody wrote it down), `machine`, `command`: when, what, where and how it was measured;
- `figures`: each has a `figure` (what it is) and either `value` with its `unit`, or `hits` with `of`. `low` and `high`
  are the ends of its interval, `at_most` or `at_least` its goal; a goal that is missed is called so. `halves` are hits
  and totals of the half that was built with and of the half kept back.
"""

import json
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PAGE, RESULTS = ROOT / "BENCHMARKS.md", ROOT / "lab" / "results"
_BLOCK = re.compile(r"(?<=<!-- )(\w+)( -->\n)(?:\|.*\n)*")


def render_page(text: str) -> str:
    """The page with each table as its result has it."""
    return _BLOCK.sub(lambda block: f"{block[1]}{block[2]}{render_table(read_result(block[1]))}", text)


def read_result(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    return found


def render_table(measured: dict[str, Any]) -> str:
    """One row a figure; the heading says when and how all of them were measured."""
    head = f"| {measured['date']}, `{measured['command']}` | goal | measured |\n|---|---|---|\n"
    return head + "".join(f"| {each['figure']} | {_goal(each)} | {_value(each)} |\n" for each in measured["figures"])


def misses_goal(figure: dict[str, Any]) -> bool:
    """Whether the figure has a goal and does not reach it, in either half."""
    if "value" in figure:
        reached = [figure["value"]]
    else:
        shares = figure.get("halves") or [(figure["hits"], figure["of"])]
        reached = [100 * hits / total for hits, total in shares]
    too_many = max(reached) > figure.get("at_most", max(reached))
    return bool(too_many or min(reached) < figure.get("at_least", min(reached)))


def _goal(figure: dict[str, Any]) -> str:
    if figure.get("at_most") == 0:
        return "none"
    if figure.get("at_least") == 100 and "value" not in figure:
        return "all"
    goals = [f"{sign}{_number(figure[key])}" for key, sign in (("at_most", "≤"), ("at_least", "≥")) if key in figure]
    return "".join(goals) + _unit(figure) if goals else ""


def _value(figure: dict[str, Any]) -> str:
    if "halves" in figure:
        text = "; ".join(f"{hits}/{total}" for hits, total in figure["halves"])
    elif "hits" in figure:
        text = f"{_number(figure['hits'])}/{_number(figure['of'])}, {100 * figure['hits'] / figure['of']:.3g}%"
    else:
        text = _number(figure["value"]) + _unit(figure)
    if "low" in figure:
        text += f" ({_number(figure['low'])}–{_number(figure['high'])})"
    return f"**missed:** {text}" if misses_goal(figure) else text


def _unit(figure: dict[str, Any]) -> str:
    unit = figure.get("unit", "%" if "value" not in figure else "")
    return unit if unit in ("", "%", "/s") else f" {unit}"


def _number(value: float) -> str:
    return f"{value:,}"


if __name__ == "__main__":
    PAGE.write_text(render_page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
