"""The reliability diagram and the curve of risk over coverage, as PNG. matplotlib is an extra of the package."""

import re
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from bot.commands.shared import InputError
from lab.fitting.reliability import Reliability

Draw = Callable[[Mapping[str, Reliability]], list[str]]

_MEND = "--plots needs matplotlib, which is not installed. Install it: pip install 'bouncer-bot[plots]'."


def drawing(folder: Path) -> Draw:
    """What draws a file for each judge into the folder, and names them. Raises `InputError` without matplotlib, or
    where the folder cannot be made."""
    try:
        figure = import_module("matplotlib.figure").Figure
    except ImportError:
        raise InputError(_MEND) from None
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: {error.strerror}. Name a directory that can be written.") from None

    def draw(told: Mapping[str, Reliability]) -> list[str]:
        paths = []
        for name, each in told.items():
            path = folder / f"{re.sub(r'[^A-Za-z0-9._-]+', '-', name)}.png"
            drawn = _draw(figure(figsize=(10, 5), layout="constrained"), name, each)
            try:
                drawn.savefig(path, dpi=120)
            except OSError as error:
                raise InputError(f"{path}: {error.strerror}. Name a directory that can be written.") from None
            paths.append(str(path))
        return paths

    return draw


def _draw(figure: Any, name: str, told: Reliability) -> Any:
    """Both diagrams side by side, on matplotlib's figure, whose types are not here without the extra."""
    left, right = figure.subplots(1, 2)
    figure.suptitle(name)
    left.plot([0, 1], [0, 1], color="grey", linestyle="--")
    left.plot([each.predicted for each in told.bins], [each.observed for each in told.bins], marker="o")
    for each in told.bins:
        left.annotate(str(each.issues), (each.predicted, each.observed), textcoords="offset points", xytext=(6, -10))
    left.set(
        xlim=(0, 1), ylim=(0, 1), xlabel="predicted", ylabel="observed", title=f"Calibration error {told.error:.3f}"
    )
    right.plot([each.coverage for each in told.curve], [each.risk for each in told.curve])
    right.axhline(told.at_random, color="grey", linestyle="--")
    right.set(xlim=(0, 1.02), ylim=(0, None), xlabel="answered", ylabel="wrong", title=f"Area {told.area:.3f}")
    return figure
