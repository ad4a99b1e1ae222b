"""Options that several commands share. Their choices come from the registry."""

import math
from typing import Any

import click

from bot.registry import AUTO, EXECUTORS, JUDGES, names

_INSTEAD = "Instead of the settings'."

executor_option = click.option("--executor", type=click.Choice([AUTO, *names(EXECUTORS)]), help=_INSTEAD)
issue_judge_option = click.option("--judge", "judged_by", type=click.Choice(names(JUDGES)), help=_INSTEAD)
patch_judge_option = click.option(
    "--judge", "judged_by", type=click.Choice([each.name for each in JUDGES if each.of_patches]), help=_INSTEAD
)


class Seconds(click.FloatRange):
    """Within its bounds, and a number: `nan`, which Python reads as one, is in every range."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        seconds = super().convert(value, param, ctx)
        if math.isnan(seconds):
            self.fail(f"{value} is not in the range {self._describe_range()}.", param, ctx)
        return seconds
