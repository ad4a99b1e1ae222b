"""`bouncer setup`: register an App at GitHub, or take over one, and keep its credentials."""

import os
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import click
from werkzeug.serving import WSGIRequestHandler, make_server

from bot import settings_file
from bot.commands.doctor import BAD, examine, show
from bot.commands.doctor_lines import CheckOutcome
from bot.commands.scratch import scratch
from bot.commands.shared import InputError, Refusing, settings_with
from bot.github.auth import AppToken
from bot.github.errors import GitHubError
from bot.github.registration import AppCredentials, ask
from bot.settings import load
from bot.setup.flow import LIFETIME, Guard, SetupFlow, invitation
from bot.setup.pages import setup_app
from bot.storage.database import Database, DatabaseError
from bot.storage.migrate import migrate

BETWEEN_LOOKS = 2.0  # seconds between two questions whether somebody installed it


@click.command(cls=Refusing, said="setup")
@click.option("--public-url", help="Where GitHub will reach the server; otherwise BOUNCER_PUBLIC_URL.")
@click.option("--organization", default="", help="The organisation that will own the App; otherwise you.")
@click.option("--github", default="", metavar="URL", help="Your GitHub Enterprise, e.g. https://github.example.com.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Of the pages on this machine; 0 picks one.")
@click.option("--print", "as_text", is_flag=True, help="Print the credentials as variables instead of keeping them.")
@click.option("--app-id", default="", help="Take over this App instead; needs --private-key.")
@click.option("--private-key", type=click.Path(path_type=Path), help="The .pem file of the App to take over.")
def setup(
    public_url: str | None,
    organization: str,
    github: str,
    port: int,
    as_text: bool,
    app_id: str,
    private_key: Path | None,
) -> None:
    """Register an App at GitHub, keep its credentials, and check everything.

    It prints a link to a page on this machine, which leads to GitHub and back. The credentials go to the settings file,
    which only its owner can read. Exit status 2 when there is an App already, or the check finds something missing.
    """
    settings = settings_with(public_url=public_url)
    if settings.has_app:
        raise InputError(
            "there is an App already: BOUNCER_APP_ID or another setting of it is in the environment or in "
            f"{settings_file.place()}. Remove them to set up another one."
        )
    if bool(app_id) != (private_key is not None):
        raise InputError("give --app-id and --private-key together, to take over an App")
    if (app_id or github or organization) and not settings.public_url:
        raise InputError("give --public-url as well: where GitHub will reach the server, e.g. https://YOUR-HOST")
    path = settings_file.place()
    if not as_text and path is None:
        raise InputError(f"there is no place for the credentials. Set {settings_file.VARIABLE}, or use --print.")
    if not as_text and path is not None:
        settings_file.check_writable(path)
    flow = SetupFlow(settings, _printed if as_text else _kept)
    if settings.public_url:
        flow.choose(settings.public_url, github, organization)
    if private_key is not None:
        flow.take_over(app_id, _text_of(private_key))
        _end(flow, as_text)
    else:
        with _pages(flow, port):
            if not flow.finished.wait(LIFETIME):
                raise InputError("nobody finished in half an hour. Start again for a new link.")
            _end(flow, as_text)


@contextmanager
def _pages(flow: SetupFlow, port: int) -> Iterator[None]:
    """The pages on this machine, for the length of the block. Raises InputError where they cannot be served."""
    guard = Guard()
    app = setup_app(guard, flow)
    try:
        server = make_server("127.0.0.1", port, app, threaded=True, request_handler=_Quiet)
    except (OSError, SystemExit):
        raise InputError(f"cannot listen on 127.0.0.1 port {port}. Choose another with --port.") from None
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    click.echo(invitation(guard, f"http://127.0.0.1:{server.server_port}"))
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()


def _end(flow: SetupFlow, as_text: bool) -> None:
    """Wait until somebody has installed the App, and check everything. Exit status 2 where something is missing."""
    app = flow.credentials
    assert app is not None
    click.echo(f"The App {app.slug} is ready. Install it on a repository: {app.install_url}")
    click.echo("Waiting for that. Ctrl-C leaves it for later.")
    token = AppToken(app.app_id, app.private_key)
    while _installations(flow.place.api_url, token) == 0:
        time.sleep(BETWEEN_LOOKS)
    if as_text:
        click.echo("It is installed. With these variables set, `bouncer doctor` checks everything.")
        return
    click.get_current_context().with_resource(scratch())
    _migrated()
    lines = list(examine(os.environ, started=False))
    for line in lines:
        show(line)
    click.echo("Start it with `bouncer run`, where GitHub reaches it at the public address.")
    click.echo(
        "`bouncer report` then links to a page for each repository: what Bouncer would have said about its issues."
    )
    raise click.exceptions.Exit(BAD if any(line.outcome is CheckOutcome.FAIL for line in lines) else 0)


def _migrated() -> None:
    """As every start of the server does. What is wrong with a database is a line of the check."""
    with suppress(DatabaseError), closing(Database.open(load().database_url)) as database:
        migrate(database)


def _installations(api_url: str, token: AppToken) -> int | None:
    """How many; `None` where GitHub does not say."""
    try:
        return ask(api_url, token.header()).installations
    except GitHubError:
        return 0  # it may answer the next time


class _Quiet(WSGIRequestHandler):
    """No line for a request: the first one holds the token."""

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        pass


def _kept(credentials: AppCredentials, variables: Mapping[str, str]) -> None:
    path = settings_file.place()
    assert path is not None
    settings_file.write(path, variables)
    click.echo(f"Kept in {path}, which every `bouncer` command of this user reads.")


def _printed(credentials: AppCredentials, variables: Mapping[str, str]) -> None:
    click.echo("\n".join(settings_file.lines(variables)))


def _text_of(path: Path) -> str:
    try:
        return path.read_text("ascii")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}. Name the .pem file of the App.") from None
    except UnicodeDecodeError:
        raise InputError(f"{path} is no PEM file. Name the .pem file of the App.") from None
