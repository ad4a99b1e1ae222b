"""`bouncer sandbox`: what runs untrusted code on this machine, what it enforces, and a command run in it."""

import json
import sys
from dataclasses import asdict

import click

from bot.commands.shared import InputError, NumberRange, Refusing, executor_option, settings_with
from bot.errors import PlainError
from bot.plain_text import clean, count_of
from bot.sandbox.actions import own_workflow
from bot.sandbox.choose import candidates, choose
from bot.sandbox.protocol import Capabilities, Job, Limits, Outcome, Status

TIMED_OUT, NO_SANDBOX, STOPPED = 124, 125, 137  # as `timeout`, `docker run` and a killed program exit
_EXITS = {Status.WALL: TIMED_OUT, Status.SANDBOX_ERROR: NO_SANDBOX}


class NoSandbox(PlainError):
    """Nothing can be run."""

    status = NO_SANDBOX


@click.group()
def sandbox() -> None:
    """Run untrusted code, and see which limits are enforced."""


@sandbox.command(cls=Refusing, said="sandbox probe")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document on stdout.")
@executor_option
def probe(as_json: bool, executor: str | None) -> None:
    """Say for each executor what it enforces here, or why it is not used.

    Each runs a program that tries to break out. Exit status: 0 when one can be used, 125 when none can.
    """
    settings = settings_with(executor=executor)
    found = [candidate.probe() for candidate in candidates(settings)]
    used = next((capabilities.executor for capabilities in found if capabilities.usable), None)
    if as_json:
        click.echo(json.dumps({"used": used, "executors": [asdict(capabilities) for capabilities in found]}))
    else:
        for capabilities in found:
            for line in _described(capabilities):
                click.echo(line)
        click.echo(f"Untrusted code runs in: {used}" if used else "No executor can isolate here, so nothing is run.")
    raise click.exceptions.Exit(0 if used else NO_SANDBOX)


@sandbox.command()
def workflow() -> None:
    """Print the workflow that a runner repository needs, see docs/sandbox.md."""
    click.echo(own_workflow(), nl=False)


@sandbox.command(cls=Refusing, said="sandbox run", context_settings={"ignore_unknown_options": True})
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document on stdout.")
@click.option("--wall", type=NumberRange(0.1, 3600), default=60.0, show_default=True, help="Seconds it may take.")
@executor_option
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
def run(as_json: bool, wall: float, executor: str | None, command: tuple[str, ...]) -> None:
    """Run COMMAND in the sandbox, in an empty directory and with no input; put `--` before it.

    Exit status: the command's; 124 when it took too long, 137 when it was stopped for using too much or for its result
    files, 125 when nothing could be run.
    """
    settings = settings_with(executor=executor)
    chosen = choose(settings)
    if isinstance(chosen, Capabilities):
        raise NoSandbox(chosen.problem)
    try:
        job = Job(command, limits=Limits(wall=wall, cpu=wall))
    except ValueError as error:
        raise InputError(str(error)) from None
    outcome = chosen.run(job)
    if as_json:
        document = {
            "executor": chosen.name,
            "status": outcome.status,
            "exit_code": outcome.exit_code,
            "problem": outcome.problem,
            "stdout": outcome.stdout.decode(errors="replace"),
            "stderr": outcome.stderr.decode(errors="replace"),
            "results": {path: len(content) for path, content in outcome.results.items()},
            "seconds": round(outcome.seconds, 3),
            "limits_enforced": outcome.limits_enforced,
        }
        click.echo(json.dumps(document, ensure_ascii=False))
    else:
        _show(chosen.name, outcome)
    if outcome.status is Status.EXITED:
        raise click.exceptions.Exit(outcome.exit_code or 0)
    raise click.exceptions.Exit(_EXITS.get(outcome.status, STOPPED))


def _described(capabilities: Capabilities) -> list[str]:
    name = f"{capabilities.executor} {capabilities.version}".strip()
    if not capabilities.usable:
        return [f"{click.style('not used', 'yellow')}  {name}: {clean(capabilities.problem, 1000)}"]
    lines = [f"{click.style('usable', 'green')}  {name}", f"    enforced: {', '.join(capabilities.enforced)}"]
    return lines + [f"    not enforced: {clean(missing)}" for missing in capabilities.missing]


def _show(executor: str, outcome: Outcome) -> None:
    for stream, content in ((sys.stdout, outcome.stdout), (sys.stderr, outcome.stderr)):
        click.echo(_harmless(content) if stream.isatty() else content, nl=False, file=stream)
    for path, result in outcome.results.items():
        click.echo(f"bouncer: result {clean(path)}, {count_of(len(result), 'byte')}", err=True)
    ended = outcome.problem or f"exit status {outcome.exit_code}"
    held = ", ".join(outcome.limits_enforced)
    click.echo(f"bouncer: {executor}: {ended} after {outcome.seconds:.2f} s; enforced: {held}", err=True)


def _harmless(content: bytes) -> str:
    """For a terminal: what could move its cursor, change its title or hide text becomes a replacement character."""
    text = content.decode(errors="replace")
    return "".join(char if char.isprintable() or char in "\n\t" else "\N{REPLACEMENT CHARACTER}" for char in text)
