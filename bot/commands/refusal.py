"""A plain no: the message with its mend on stderr, and with `--json` still one document on stdout."""

import json

import click

BAD_INPUT = 2


def refused(command: str, message: str, *, as_json: bool, status: int = BAD_INPUT) -> click.exceptions.Exit:
    """Say it and return the exit to raise: `raise refused(...) from None`. With `as_json`: `{"error": message}`."""
    click.echo(f"bouncer {command}: {message}", err=True)
    if as_json:
        click.echo(json.dumps({"error": message}, ensure_ascii=False))
    return click.exceptions.Exit(status)
