"""`bouncer statement-key`: the key that signs verdicts, made once; and its public half, to be passed on."""

import click

from bot.commands.shared import InputError, Refusing
from bot.settings import load
from bot.statements.keys import SETTING, key_id, load_signing_key, make_key, public_pem


@click.command(cls=Refusing, said="statement-key")
def statement_key() -> None:
    """Print the public half of the key at BOUNCER_STATEMENT_KEY_PATH; make the key where there is none.

    Exit status 2 when no place is set, or it holds something else, which stays as it is.
    """
    settings = load()
    path = settings.statement_key_path
    if path is None:
        raise InputError(f"no place is set. Set {SETTING} to where the key is to lie, for web process and command.")
    if not path.exists():
        make_key(path)
        click.echo(f"Made {path}. Keep it as secret as the App's key.", err=True)
    key = load_signing_key(settings)
    assert key is not None  # the setting is there
    click.echo(public_pem(key.public_key()), nl=False)
    click.echo(f"Its id is {key_id(key.public_key())}.", err=True)
