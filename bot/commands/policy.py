"""`bouncer policy`: check a policy file before it is committed, and print its JSON Schema."""

import json
from pathlib import Path

import click
import yaml

from bot.policy import Policy
from bot.policy_file import PolicyError, load, schema

BAD_INPUT = 2


@click.group()
def policy() -> None:
    """Check a policy file, or print the JSON Schema of one."""


@policy.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document on stdout.")
def check(file: Path, as_json: bool) -> None:
    """Say whether FILE is a valid policy, and show it with the defaults filled in.

    Exit status: 0 when it is valid, 2 when it is absent, unreadable or invalid.
    """
    try:
        found = load(file.read_bytes(), str(file))
    except FileNotFoundError:
        _refuse(file, as_json, "absent", f"{file}: there is no such file; without a policy the defaults apply")
    except OSError as error:
        _refuse(file, as_json, "unreadable", f"{file}: cannot be read: {error.strerror or type(error).__name__}")
    except PolicyError as error:
        problems = [
            {"line": problem.line, "column": problem.column, "message": problem.message} for problem in error.problems
        ]
        _refuse(file, as_json, "invalid", str(error), problems)
    else:
        _show(file, as_json, found)


@policy.command("schema")
def print_schema() -> None:
    """Print the JSON Schema of the policy file."""
    click.echo(json.dumps(schema(), indent=2))


def _show(file: Path, as_json: bool, found: Policy) -> None:
    effective = found.model_dump(mode="json")
    if as_json:
        click.echo(json.dumps({"file": str(file), "state": "valid", "problems": [], "policy": effective}))
        return
    click.echo(f"{file}: valid. With the defaults filled in:\n")
    click.echo(yaml.safe_dump(effective, sort_keys=False, allow_unicode=True), nl=False)


def _refuse(file: Path, as_json: bool, state: str, text: str, problems: list[dict[str, object]] | None = None) -> None:
    click.echo(text, err=True)
    if as_json:
        click.echo(json.dumps({"file": str(file), "state": state, "problems": problems or [], "policy": None}))
    raise click.exceptions.Exit(BAD_INPUT)
