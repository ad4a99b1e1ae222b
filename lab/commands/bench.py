"""`bouncer bench`: measure the published figures again, on data that lies beside the checkout."""

from collections.abc import Mapping
from typing import ClassVar

import click

from bot.commands.lazy import LazyGroup


class _Bench(LazyGroup):
    later: ClassVar[Mapping[str, str]] = {
        "filter": "lab.commands.bench_filter:filter_bench",
        "input": "lab.commands.bench_input:input_bench",
        "output": "lab.commands.bench_output:output_bench",
        "lite": "lab.commands.bench_lite:lite_bench",
        "fixed": "lab.commands.bench_fixed:state_bench",
        "attempts": "lab.commands.bench_attempts:attempts_bench",
        "review": "lab.commands.bench_review:review_bench",
        "collect": "lab.commands.bench_collect:collect_bench",
        "variants": "lab.commands.bench_variants:variants_bench",
    }


@click.group(cls=_Bench)
def bench() -> None:
    """Measure the published figures again."""
