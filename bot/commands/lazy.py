"""Commands that are imported only when they are called, so that what needs little starts fast."""

import gc
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from difflib import get_close_matches
from importlib import import_module
from typing import ClassVar

import click


class LazyGroup(click.Group):
    """later: the commands that are imported when they are wanted, as `module:attribute` by their names."""

    later: ClassVar[Mapping[str, str]] = {}

    def more(self) -> Mapping[str, str]:
        """Commands that take longer to find: they are looked for only where `later` does not have the name."""
        return {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*super().list_commands(ctx), *dict.fromkeys((*self.later, *self.more()))]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        known = self.later if args[0] in self.later else self.list_commands(ctx)
        close = get_close_matches(args[0], known, n=1) if args[0] not in known else []
        if close and not ctx.resilient_parsing:
            ctx.fail(f"No such command '{args[0]}'. Did you mean '{close[0]}'?")
        return super().resolve_command(ctx, args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        place = self.later.get(cmd_name) or self.more().get(cmd_name)
        if place is None:
            return super().get_command(ctx, cmd_name)
        module, attribute = place.split(":")
        with _keeping_all():
            command: click.Command = getattr(import_module(module), attribute)
        return command


@contextmanager
def _keeping_all() -> Iterator[None]:
    """What a command is made of stays: looking for garbage in it took a seventh of a worker's start."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()
