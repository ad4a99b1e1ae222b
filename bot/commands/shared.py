"""What several commands share: options, settings, and a plain no."""

import json
import logging
import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from bot.errors import PlainError
from bot.policy import Policy
from bot.policy_choices import Strictness
from bot.policy_file import PolicyError
from bot.policy_file import load as load_policy
from bot.registry import AUTO, EXECUTORS, JUDGES, names
from bot.settings import Settings, load, logs_json
from bot.storage.directories import close_to_others

if TYPE_CHECKING:
    from bot.sandbox.protocol import Executor

_INSTEAD = "Instead of the settings'."

executor_option = click.option("--executor", type=click.Choice([AUTO, *names(EXECUTORS)]), help=_INSTEAD)
issue_judge_option = click.option("--judge", "judged_by", type=click.Choice(names(JUDGES)), help=_INSTEAD)
patch_judge_option = click.option(
    "--judge", "judged_by", type=click.Choice([each.name for each in JUDGES if each.of_patches]), help=_INSTEAD
)
policy_option = click.option("--policy", "policy_file", type=click.Path(path_type=Path), help="A policy file.")
json_option = click.option("--json", "as_json", is_flag=True, help="Print exactly one JSON document on stdout.")


def strictness_option(says: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    choices = click.Choice([strictness.value for strictness in Strictness], case_sensitive=False)
    return click.option("--strictness", type=choices, help=says)


def files(ctx: click.Context, param: click.Parameter, incomplete: str) -> "list[CompletionItem[str]]":
    """What a shell completes where a file may stand, and something else too."""
    return [CompletionItem(incomplete, type="file")]


class NumberRange(click.FloatRange):
    """Within its bounds, and a number: `nan`, which Python reads as one, is in every range."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value} is not in the range {self._describe_range()}.", param, ctx)
        return number


class InputError(PlainError):
    """What was given cannot be used."""


class Interrupted(PlainError):
    """Somebody pressed Ctrl-C."""

    status = 130


class Refusing(click.Command):
    """A command that says no plainly: the message with its mend on stderr, and with `--json` still one document on
    stdout, `{"error": message}` with what `nothing` makes of the message.

    said: its name in full, without `bouncer`.
    """

    def __init__(
        self, *given: Any, said: str, nothing: Callable[[str], dict[str, Any]] = lambda message: {}, **more: Any
    ) -> None:
        super().__init__(*given, **more)
        self._said, self._nothing = said, nothing

    def invoke(self, ctx: click.Context) -> Any:
        try:
            try:
                return super().invoke(ctx)
            except KeyboardInterrupt:
                raise Interrupted("stopped before its end. Run it again.") from None
        except PlainError as error:
            message = str(error)
            self._tell(f"bouncer {self._said}: {message}")
            if ctx.params.get("as_json"):
                click.echo(json.dumps({**self._nothing(message), "error": message}, ensure_ascii=False))
            raise click.exceptions.Exit(error.status) from None

    def _tell(self, line: str) -> None:
        click.echo(line, err=True)


class ServerCommand(Refusing):
    """A process of the server, which says no in the form of its log."""

    def _tell(self, line: str) -> None:
        tell(line)


def tell(line: str, level: int = logging.ERROR) -> None:
    """What a process of the server says of its start and its end, on stderr: as it is, or where the log is JSON, as a
    line of that."""
    if logs_json():
        from bot.telemetry.logs import json_line  # 18 MB, which the supervisor does without

        line = json_line(line, level)
    click.echo(line, err=True)


def settings_with(**given: Any) -> Settings:
    """The settings; what is given beats the environment, `None` is not given. Raises `SettingsError`."""
    return load(**{name: value for name, value in given.items() if value is not None})


def own_settings(**given: Any) -> Settings:
    """Those of a command that runs code on somebody's own machine. Raises `SettingsError`.

    Source code and environments lie in the user's cache, unless the settings say where: here may be anywhere. It is
    made, for that user alone.
    """
    settings = settings_with(**given)
    if "cache_dir" not in settings.model_fields_set:
        cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "bouncer"
        settings = settings.model_copy(update={"cache_dir": cache})
    close_to_others(settings.cache_dir)
    return settings


def valid_policy(text: bytes, name: str) -> Policy:
    """Raises `InputError`."""
    try:
        return load_policy(text, name)
    except PolicyError as error:
        raise InputError(f"the policy is invalid\n{error}") from None


def policy_in(path: Path | None) -> Policy:
    """That of a file, the default one without. Raises `InputError`."""
    try:
        return valid_policy(path.read_bytes(), str(path)) if path else Policy()
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}. Name a policy file, or leave --policy out.") from None


def executor_of(settings: Settings) -> "Executor | str":
    """What runs untrusted code here, or why nothing may, as a sentence."""
    from bot.sandbox.choose import choose
    from bot.sandbox.protocol import Capabilities

    found = choose(settings)
    return f"Nothing may run here: {found.problem}" if isinstance(found, Capabilities) else found
