"""`bouncer verify`: put a reviewer's rejection to the test by executing the fix it offers. Writes nothing anywhere."""

import json
from pathlib import Path

import click
from rich.console import Console

from bot.commands.refusal import BAD_INPUT
from bot.commands.verify_input import InputError, read_programs, read_specification, read_tests
from bot.rendering.verified import verified_json, verified_view
from bot.sandbox.choose import choose
from bot.settings import Settings, SettingsError
from bot.settings import load as load_settings
from bot.verdicts import Decision
from bot.verification.cases import FilterFacts, decide
from bot.verification.filter import FilterLimits, verify_fix
from bot.verification.values import Verified

NOT_VERIFIED = 3
_PATH = click.Path(path_type=Path)


@click.command(short_help="Test a rejection by executing the fix it offers.")
@click.option("--original", required=True, type=_PATH, help="The rejected program: a Python file, a directory, a diff.")
@click.option("--fix", type=_PATH, help="The reviewer's fix, likewise; a diff may be one on top of the original.")
@click.option("--tests", required=True, type=_PATH, help="A test file, or a directory of them; pytest or bare asserts.")
@click.option("--spec", type=_PATH, help="What the program is to do: text or Markdown; examples in it are tests.")
@click.option("--repo", type=_PATH, help="The directory that the diffs are against.")
@click.option("--timeout", default=120.0, show_default=True, type=click.FloatRange(1, 3600), help="Seconds overall.")
@click.option(
    "--test-timeout", default=10.0, show_default=True, type=click.FloatRange(0.1, 3600), help="Seconds for one test."
)
@click.option("--seed", default=0, show_default=True, help="For inputs that are made up.")
@click.option("--executor", help="Instead of the settings'.")
@click.option("--json", "as_json", is_flag=True, help="Print exactly one JSON document on stdout.")
def verify(
    original: Path,
    fix: Path | None,
    tests: Path,
    spec: Path | None,
    repo: Path | None,
    timeout: float,
    test_timeout: float,
    seed: int,
    executor: str | None,
    as_json: bool,
) -> None:
    """Run the rejected program and the reviewer's fix in a sandbox, and say what becomes of the rejection.

    Tests import a Python file as the module `solution`. A test that takes too long is a failed one.

    Exit status: 0 for any verdict reached, 2 for bad input, 3 when the verdict is UNAVAILABLE.
    """
    try:
        settings = _settings(executor)
        rejected, proposed = read_programs(original, fix, repo)
        suite = read_tests(tests, rejected)
        specification = read_specification(spec)
    except (InputError, SettingsError) as error:
        raise _refused(str(error), as_json=as_json) from None
    verified = verify_fix(
        choose(settings),
        rejected,
        proposed,
        suite,
        specification=specification,
        limits=FilterLimits(test=test_timeout, overall=timeout),
        seed=seed,
    )
    if as_json:
        click.echo(json.dumps(verified_json(verified), ensure_ascii=False))
    else:
        Console().print(verified_view(verified))
    raise click.exceptions.Exit(NOT_VERIFIED if verified.decision is Decision.UNAVAILABLE else 0)


def _refused(message: str, *, as_json: bool) -> click.exceptions.Exit:
    """Bad input: nothing could run, so the document says just that, and why."""
    click.echo(f"bouncer verify: {message}", err=True)
    if as_json:
        nothing: Verified = decide(FilterFacts())
        click.echo(json.dumps({**verified_json(nothing), "error": message}, ensure_ascii=False))
    return click.exceptions.Exit(BAD_INPUT)


def _settings(executor: str | None) -> Settings:
    return load_settings(executor=executor) if executor else load_settings()
