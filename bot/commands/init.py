"""`bouncer init`: the first policy, as a file of this repository."""

from pathlib import Path

import click

from bot.commands.shared import InputError, Refusing
from bot.policy_choices import Mode
from bot.policy_file import PATH
from bot.rendering.starter import starter_policy


@click.command(cls=Refusing, said="init")
@click.argument("repository", default=".", type=click.Path(path_type=Path))
@click.option(
    "--mode",
    type=click.Choice([each.value for each in Mode]),
    default=Mode.OBSERVE.value,
    show_default=True,
    help="What Bouncer does there.",
)
def init(repository: Path, mode: str) -> None:
    """Write .github/bouncer.yml into the checkout REPOSITORY (here, if it is left out).

    With the default, Bouncer judges and writes nothing. A file that is there stays. Exit status 2 then, and where
    REPOSITORY is no checkout.
    """
    if not (repository / ".git").exists():
        raise InputError(f"{repository} is not the top of a git checkout. Name the folder that holds .git.")
    path = repository / PATH
    try:
        path.parent.mkdir(exist_ok=path.parent.is_dir())
        with path.open("x", encoding="utf-8") as file:
            file.write(starter_policy(Mode(mode)))
    except OSError as error:
        if path.is_file():
            mend = f"`bouncer policy check {path}` says whether it is valid."
            raise InputError(f"{path} is there already. {mend}") from None
        raise InputError(f"{path} cannot be written: {error.strerror}.") from None
    click.echo(f"Wrote {path}. Commit it to the default branch; Bouncer reads it only there.")
