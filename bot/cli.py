"""The `bouncer` command. Each subcommand lives in `bot/commands/` and is imported only when it is called."""

import errno
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from importlib.metadata import entry_points
from io import TextIOWrapper
from typing import Any, ClassVar

import click
from click.shell_completion import CompletionItem

from bot.commands.lazy import LazyGroup

# In the order in which people meet them.
COMMANDS = {
    "demo": ("bot.commands.demo:demo", "Show it at work on this machine."),
    "judge": ("bot.commands.judge:judge", "Judge an issue or a change, or many from a file."),
    "fixed": ("bot.commands.fixed:fixed", "Say whether what an issue reports is fixed already."),
    "verify": ("bot.commands.verify:verify", "Test a rejection by executing the fix it offers."),
    "verify-statement": ("bot.commands.verify_statement:verify_statement", "Check a verdict's signed statement."),
    "backtest": ("bot.commands.backtest:backtest", "Show what it would have done with past issues."),
    "learn": ("bot.commands.learn:learn_facts", "Propose what to ask reporters for, by past threads."),
    "report": ("bot.commands.report:report", "Show how often bounces were right, by what people did."),
    "init": ("bot.commands.init:init", "Write a first policy into a checkout."),
    "replay": ("bot.commands.replay:replay", "Say what would be done for a saved delivery."),
    "policy": ("bot.commands.policy:policy", "Check a policy file; print its JSON Schema."),
    "setup": ("bot.commands.setup:setup", "Register an App at GitHub, and keep its credentials."),
    "doctor": ("bot.commands.doctor:doctor", "Check settings, key, GitHub, database and judge."),
    "sandbox": ("bot.commands.sandbox:sandbox", "Show what runs untrusted code, and run a command in it."),
    "migrate": ("bot.commands.migrate:migrate", "Create or upgrade the tables."),
    "statement-key": (
        "bot.commands.statement_key:statement_key",
        "Make the key that signs verdicts; show its public half.",
    ),
    "backup": ("bot.commands.backup:backup", "Copy the database while the server runs."),
    "serve": ("bot.commands.serve:serve", "Run the web process."),
    "worker": ("bot.commands.worker:worker", "Run the worker."),
    "run": ("bot.commands.run:run", "Run both, for a small server."),
    "action": ("bot.commands.action:action", "What the GitHub Action runs in a workflow's jobs."),
}
ENTRY_POINTS = "bouncer.commands"  # each names a table like `COMMANDS` in another package
_STOPPED = 130  # the status of shells for Ctrl-C
_DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def all_commands() -> dict[str, tuple[str, str]]:
    """Place and summary of each command by its name: Bouncer's own, then what other packages add."""
    found = dict(COMMANDS)
    for point in entry_points(group=ENTRY_POINTS):
        found |= point.load()
    return found


class _Bouncer(LazyGroup):
    """All commands, each of which is imported when it is wanted."""

    later: ClassVar[Mapping[str, str]] = {name: place for name, (place, _) in COMMANDS.items()}

    def more(self) -> Mapping[str, str]:
        return {name: place for name, (place, _) in all_commands().items()}

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in all_commands().items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> "list[CompletionItem[str]]":
        """The names of the commands without importing any: a shell waits for them."""
        named = [
            CompletionItem(name, help=says) for name, (_, says) in all_commands().items() if name.startswith(incomplete)
        ]
        return [*named, *click.Command.shell_complete(self, ctx, incomplete)]

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            click.echo("bouncer: stopped.", err=True)
            raise click.exceptions.Exit(_STOPPED) from None

    def main(self, *args: Any, **extra: Any) -> Any:
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, TextIOWrapper):
                stream.reconfigure(errors="replace")  # a locale that lacks a character still gets the rest
        try:
            try:
                return super().main(*args, **extra)
            finally:
                if sys.stdout:
                    sys.stdout.flush()  # here, or Python would do it at its end, and say what fails in its own words
        except OSError as error:
            if error.errno not in (*_DISK_FULL, errno.EPIPE):
                raise
            with suppress(OSError, ValueError):  # Python tries once more at its end what is still to be written
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            if error.errno != errno.EPIPE:  # else the reader has seen enough
                click.echo(f"bouncer: {error.strerror}. Make room, or write elsewhere.", err=True)
            sys.exit(1)


@click.command(cls=_Bouncer, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="bouncer-bot", prog_name="bouncer")
def main() -> None:
    """Bouncer asks for what is missing in vague issues, and judges coding agents' pull requests by running them."""
