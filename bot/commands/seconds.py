"""A number of seconds on the command line."""

import math
from typing import Any

import click


class Seconds(click.FloatRange):
    """Within its bounds, and a number: `nan`, which Python reads as one, is in every range."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        seconds = super().convert(value, param, ctx)
        if math.isnan(seconds):
            self.fail(f"{value} is not in the range {self._describe_range()}.", param, ctx)
        return seconds
