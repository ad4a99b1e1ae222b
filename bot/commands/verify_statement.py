"""`bouncer verify-statement`: whether a signed verdict lets a change pass. Needs no network and no settings."""

import hashlib
import json
import re
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NoReturn

import click

from bot.commands.shared import InputError, NumberRange, Refusing, json_option
from bot.plain_text import clean
from bot.statements.check import StatementExpectation, problems, unknown
from bot.statements.envelope import LARGEST, Envelope, EnvelopeError, NotVerified, open_envelope
from bot.statements.keys import key_id, read_public
from bot.statements.verdict import VerdictStatement, read

DOES_NOT_HOLD = 1
LARGEST_POLICY = 1_000_000  # bytes
_SHA = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


def _sha_option(name: str, says: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    return click.option(name, metavar="SHA", help=says)


@click.command(cls=Refusing, said="verify-statement", nothing=lambda message: {"ok": False})
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True))
@click.option(
    "--key",
    "keys",
    type=click.Path(path_type=Path),
    multiple=True,
    required=True,
    help="A public key; several while keys change.",
)
@_sha_option("--head", "The commit that the verdict must be about.")
@_sha_option("--tree", "The files that it must be about, as `git rev-parse HEAD^{tree}` prints them.")
@_sha_option("--base", "The commit that it must have been held against.")
@click.option("--repo", metavar="OWNER/NAME", help="The repository that it must be about.")
@click.option("--policy", type=click.Path(path_type=Path), help="The policy file that it must have been judged by.")
@click.option("--max-age", metavar="HOURS", type=NumberRange(min=0), help="How long ago it may have been stated.")
@click.option("--allow-override", is_flag=True, help="Let a maintainer's override pass as well.")
@json_option
def verify_statement(
    file: Path,
    keys: tuple[Path, ...],
    head: str | None,
    tree: str | None,
    base: str | None,
    repo: str | None,
    policy: Path | None,
    max_age: float | None,
    allow_override: bool,
    as_json: bool,
) -> None:
    """Check the signed verdict in FILE (`-`: standard input): who signed it, what it is about, and that it is ACCEPT.

    Exit status: 0 where all of it holds, 1 where something does not, 2 where FILE, a key or an option cannot be used.
    """
    expected = StatementExpectation(
        head=_full_sha("--head", head),
        base=_full_sha("--base", base),
        tree=_full_sha("--tree", tree),
        repository=_filled("--repo", repo),
        policy=_sha256(policy) if policy else "",
        overridden=allow_override,
        max_age=timedelta(hours=max_age) if max_age is not None else None,
    )
    try:
        found = open_envelope(_text(file), [read_public(path) for path in keys])
        said = read(found.payload)
    except NotVerified as error:
        _end(as_json, {}, (str(error),))
    except EnvelopeError as error:
        raise InputError(f"{file}: {error}") from None
    against = problems(said, expected, datetime.now(UTC))
    if not as_json:
        _show(said, found)
    statement = said.model_dump(mode="json", by_alias=True, exclude_none=True)
    _end(as_json, {"key": key_id(found.key), "unknown": unknown(said), "statement": statement}, against)


def _end(as_json: bool, document: dict[str, Any], against: tuple[str, ...]) -> NoReturn:
    if as_json:
        click.echo(json.dumps({"ok": not against, "problems": against, **document}, ensure_ascii=False))
    for problem in against:
        click.echo(f"bouncer verify-statement: {problem}", err=True)
    raise click.exceptions.Exit(DOES_NOT_HOLD if against else 0)


def _show(said: VerdictStatement, found: Envelope) -> None:
    verdict = said.predicate
    where = clean(f"{verdict.repository.name} #{verdict.pull_request}", 200) if verdict.repository else "A change"
    click.echo(f"{verdict.verdict}  {where}, judged {verdict.judged_at:%Y-%m-%d %H:%M} UTC")
    click.echo(f"  {clean(verdict.reason, 600)}")
    policy, environment = verdict.policy, verdict.environment
    rows = (
        ("head", ", ".join(said.heads)),
        ("base", verdict.base.digest.git_commit if verdict.base else None),
        ("merged tree", ", ".join(said.trees)),
        ("policy", f"{clean(policy.name, 200)} {policy.digest.sha256 if policy.digest else ''}" if policy else None),
        ("environment", environment.digest.sha256 if environment else None),
        ("tests", verdict.tests.digest.sha256 if verdict.tests else None),
        ("stated", f"{verdict.stated_at:%Y-%m-%d %H:%M} UTC"),
        ("signed by", key_id(found.key)),
    )
    for name, value in rows:
        if value:
            click.echo(f"  {name:<12}{value}")
    if missing := unknown(said):
        click.echo(f"  Not known to Bouncer, and so not stated: {', '.join(missing)}.")


def _filled(option: str, given: str | None) -> str:
    """Empty where the option is left out. A variable that a script forgot to fill must not pass for that. Raises
    `InputError`."""
    if given is not None and not given.strip():
        raise InputError(f"{option} is empty. Give it a value, or leave it out.")
    return given or ""


def _full_sha(option: str, given: str | None) -> str:
    """Raises `InputError`."""
    found = _filled(option, given)
    if found and not _SHA.fullmatch(found):
        raise InputError(f"{option} {clean(found, 100)}: give the full id, as `git rev-parse` prints it.")
    return found


def _text(file: Path) -> bytes:
    """Raises `InputError`."""
    try:
        if str(file) == "-":
            return sys.stdin.buffer.read(LARGEST + 1)
        with file.open("rb") as opened_file:
            return opened_file.read(LARGEST + 1)
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}.") from None


def _sha256(policy: Path) -> str:
    """Raises `InputError`."""
    try:
        with policy.open("rb") as file:
            text = file.read(LARGEST_POLICY + 1)
    except OSError as error:
        raise InputError(f"--policy {policy} cannot be read: {error.strerror}.") from None
    if len(text) > LARGEST_POLICY:
        raise InputError(f"--policy {policy} is too large for a policy.")
    return hashlib.sha256(text).hexdigest()
