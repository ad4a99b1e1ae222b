"""`bouncer doctor`: is everything in place? Each line passes, warns or fails, and says the mend."""

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from difflib import get_close_matches
from urllib.parse import urlsplit

import click
from sqlalchemy import delete, false
from sqlalchemy.exc import SQLAlchemyError

from bot import settings_file
from bot.commands.doctor_extras import extra_lines
from bot.commands.doctor_models import model_lines
from bot.commands.doctor_running import (
    CheckLine,
    CheckOutcome,
    cache_line,
    fails,
    git_line,
    index_line,
    passes,
    sandbox_lines,
    test_tools_line,
    warns,
)
from bot.commands.doctor_web import delivery_line, port_line, public_line
from bot.commands.scratch import scratch
from bot.github.app import GitHubApp
from bot.github.auth import AppToken, read_private_key
from bot.github.errors import GitHubError
from bot.github.registration import EVENTS, PERMISSIONS, Registration, ask
from bot.plain_text import clean
from bot.settings import NO_APP, Settings, SettingsError, load
from bot.storage.database import Database, DatabaseError, absent_file, trouble
from webhooks.secrets import SHORTEST_SECRET

BAD = 2  # exit status
SKEW_WARN, SKEW_FAIL = 30, 60  # seconds; GitHub refuses a token whose clock is off by a minute
LEVELS = ("none", "read", "write", "admin")


COLOURS = {CheckOutcome.PASS: "green", CheckOutcome.WARN: "yellow", CheckOutcome.FAIL: "red"}


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document on stdout.")
@click.option("--offline", is_flag=True, help="Ask for neither the package index nor the public address.")
def doctor(as_json: bool, offline: bool) -> None:
    """Check settings, key, GitHub, database, port and judge, and everything that is needed to run a change.

    Changes nothing and costs nothing. Exit status: 0 when nothing fails, 2 otherwise.
    """
    click.get_current_context().with_resource(scratch())
    lines = []
    for line in examine(os.environ, offline=offline):
        lines.append(line)
        if not as_json:
            show(line)
    failed = any(line.outcome is CheckOutcome.FAIL for line in lines)
    if as_json:
        click.echo(json.dumps({"ok": not failed, "checks": [asdict(line) for line in lines]}))
    raise click.exceptions.Exit(BAD if failed else 0)


def show(line: CheckLine) -> None:
    """On the terminal."""
    click.echo(f"{click.style(line.outcome, COLOURS[line.outcome])}  {line.check}: {line.says}")
    if line.mend:
        click.echo(f"      {line.mend}")


def examine(environment: Iterable[str], *, offline: bool = False, started: bool = True) -> Iterator[CheckLine]:
    """Every line, as soon as it is known. `environment`: the names of the variables that are set. offline: the package
    index and the public address are not asked for. started: the server has been, so that deliveries arrive and the
    public address answers."""
    try:
        settings = load()
        yield from _unknown_settings({*environment, *settings_file.values()})
    except SettingsError as error:
        for problem in str(error).splitlines():
            yield fails("settings", problem, "See docs/settings.md for what each setting takes.")
        return
    yield passes("settings", "every one can be read")
    public = public_line(settings) if started and not offline and settings.has_app else None
    if settings.has_app:
        yield from _webhook_secret(settings)
        yield from _github(settings, public, started)
    else:
        says, _, mend = NO_APP.partition(": ")
        yield fails("app", says, mend[0].upper() + mend[1:])
    yield _database(settings)
    yield port_line(settings)
    yield from model_lines(settings)
    yield git_line()
    yield cache_line(settings)
    yield from extra_lines(settings)
    yield test_tools_line()
    if not offline:
        yield index_line(settings)
    if public is not None:
        yield public
    yield from sandbox_lines(settings)


def _unknown_settings(environment: Iterable[str]) -> Iterator[CheckLine]:
    known = [f"BOUNCER_{name.upper()}" for name in Settings.model_fields]
    for name in sorted(environment):
        if name.upper().startswith("BOUNCER_") and name.upper() not in known:
            close = get_close_matches(name.upper(), known, n=1)
            mend = f"Did you mean {close[0]}?" if close else "Remove it; docs/settings.md lists every setting."
            yield warns("settings", f"{name} is not a setting", mend)


def _webhook_secret(settings: Settings) -> Iterator[CheckLine]:
    secret = settings.webhook_secret.get_secret_value().strip() if settings.webhook_secret else ""
    if not secret:
        mend = "Make one with `openssl rand -hex 32`; set it here and in the App's settings on GitHub."
        yield fails(
            "webhook secret", "BOUNCER_WEBHOOK_SECRET is not set, so forged deliveries cannot be detected", mend
        )
        return
    if len(secret) < SHORTEST_SECRET:
        mend = "Make a longer one with `openssl rand -hex 32`; docs/operation.md says how to change it without a gap."
        yield warns("webhook secret", f"it is shorter than {SHORTEST_SECRET} characters", mend)
    else:
        yield passes("webhook secret", "set")
    if settings.webhook_secret_previous and settings.webhook_secret_previous.get_secret_value():
        mend = "Unset BOUNCER_WEBHOOK_SECRET_PREVIOUS when GitHub signs with the new one."
        yield warns("webhook secret", "the previous one is accepted as well", mend)


def _github(settings: Settings, public: CheckLine | None, started: bool) -> Iterator[CheckLine]:
    """public: what came of asking the public address; `None` where nobody asked."""
    key = None
    try:
        key = read_private_key(settings)
        yield passes("private key", "an RSA key")
    except SettingsError as error:
        yield fails("private key", str(error))
    if settings.app_id is None:
        yield fails("app id", "BOUNCER_APP_ID is not set", "Set it to the number on the App's settings page.")
    if key is None or settings.app_id is None:
        return
    host = urlsplit(settings.github_api_url).hostname
    if not host:
        mend = "Set it to a REST address, such as https://api.github.com or https://HOST/api/v3."
        yield fails("github", "BOUNCER_GITHUB_API_URL is no web address", mend)
        return
    try:
        found = ask(settings.github_api_url, AppToken(settings.app_id, key).header())
    except (GitHubError, ValueError) as error:
        mend = "Check BOUNCER_GITHUB_API_URL, the network and the proxy."
        yield fails("github", f"{host} cannot be reached: {error}", mend)
        return
    yield from _clock(found)
    if found.status != 200:
        says = f"{host} refuses the App ({found.status} {clean(found.message)})"
        yield fails("github", says, _mend_refused(found.status))
        return
    yield passes("github", f"{host} knows the App as {clean(found.name)}")
    yield from _asked_for(found)
    yield from _hook(found, settings.public_url)
    if started:
        silent = bool(settings.public_url) and public is not None and public.outcome is not CheckOutcome.PASS
        yield delivery_line(found.newest_delivery, silent=silent)
    yield from _installations(GitHubApp(settings.app_id, key, settings.github_api_url, seconds_between_writes=0))


def _installations(app: GitHubApp) -> Iterator[CheckLine]:
    """How many accounts installed the App, and each where it may do less than it needs: nothing is judged there."""
    try:
        installed = app.installations()
    except GitHubError as error:
        yield warns("installations", f"GitHub does not list them: {error}", "Try again later.")
        return
    if not installed:
        yield warns("installations", "nobody has installed the App", "Install it from its page on GitHub.")
        return
    yield passes("installations", f"{len(installed)}")
    for each in installed:
        place = f"among the installed GitHub Apps in the settings of {clean(each.account)} on GitHub"
        little = _too_little(dict(each.permissions))
        if each.suspended:
            yield warns("installations", f"{clean(each.account)} has suspended the App", f"Unsuspend it {place}.")
        elif little:
            says = f"{clean(each.account)} has not accepted: {', '.join(little)}"
            yield fails("installations", says, f"Review and accept the request {place}.")


def _mend_refused(status: int) -> str:
    if status == 401:
        return "Check that BOUNCER_PRIVATE_KEY belongs to the App that BOUNCER_APP_ID names, and the clock."
    if status == 404:
        return "Check BOUNCER_APP_ID, and that BOUNCER_GITHUB_API_URL is a REST address, such as https://HOST/api/v3."
    return "Try again later."


def _clock(found: Registration) -> Iterator[CheckLine]:
    if found.date is None:
        return
    skew = (datetime.now(UTC) - found.date).total_seconds()
    says = f"{abs(skew):.0f} seconds {'ahead of' if skew > 0 else 'behind'} GitHub's"
    mend = "Set the clock, for instance with `timedatectl set-ntp true`."
    if abs(skew) >= SKEW_FAIL:
        yield fails("clock", says, mend)
    elif abs(skew) >= SKEW_WARN:
        yield warns("clock", says, mend)
    else:
        yield passes("clock", "agrees with GitHub's")


def _asked_for(found: Registration) -> Iterator[CheckLine]:
    """What the App may do at GitHub, against what it needs: too little fails, too much is worth a warning."""
    has: Mapping[str, str] = found.permissions or {}
    settings_page = "on the App's settings page, under Permissions & events"
    little = _too_little(has)
    much = [clean(f"{name}: {level}") for name, level in has.items() if _level(level) > _level(PERMISSIONS.get(name))]
    if little:
        yield fails(
            "permissions", f"missing: {', '.join(little)}", f"Give them {settings_page}, then accept the change."
        )
    if much:
        yield warns("permissions", f"not needed: {', '.join(sorted(much))}", f"Take them away {settings_page}.")
    if not little and not much:
        yield passes("permissions", "exactly those needed")
    missing, mend = sorted(EVENTS - found.events), f"Subscribe to them {settings_page}."
    if set(missing) == {"repository"}:  # an App from before that event: GitHub is asked each hour as well
        yield warns("events", "missing: repository, so pages close within an hour of turning private", mend)
    elif missing:
        yield fails("events", f"missing: {', '.join(missing)}", mend)
    else:
        yield passes("events", "all those needed")


def _too_little(has: Mapping[str, str]) -> list[str]:
    """The permissions that are needed and not given, as `name: level`."""
    return [f"{name}: {level}" for name, level in PERMISSIONS.items() if _level(has.get(name)) < _level(level)]


def _level(access: str | None) -> int:
    return LEVELS.index(access) if access in LEVELS else 0


def _hook(found: Registration, public_url: str) -> Iterator[CheckLine]:
    page = "on the App's settings page, under General, Webhook"
    wanted = f"{public_url.rstrip('/')}/webhook" if public_url else ""
    if not found.hook_url:
        says = "GitHub has no address to send deliveries to"
        yield fails("webhook", says, f"Set {wanted or 'https://YOUR-HOST/webhook'} {page}.")
        return
    sends = f"deliveries go to {clean(found.hook_url)}"
    if wanted and _address(found.hook_url) != _address(wanted):
        mend = f"Set {wanted} {page}; or let BOUNCER_PUBLIC_URL be where people reach this server."
        yield fails("webhook", f"{sends}, and not to {wanted}", mend)
    elif not wanted and not urlsplit(found.hook_url).path.endswith("/webhook"):
        yield fails("webhook", sends, f"Let the address end in /webhook {page}.")
    elif not found.hook_verified:
        yield warns("webhook", "GitHub does not check your server's certificate", f"Enable SSL verification {page}.")
    elif not wanted:
        says = f"{sends}; whether that is this server is not known, for BOUNCER_PUBLIC_URL is not set"
        yield warns("webhook", says, "Set BOUNCER_PUBLIC_URL to where people reach the web process.")
    else:
        yield passes("webhook", sends)
    if not found.hook_secret:
        yield fails("webhook", "GitHub signs nothing: no secret is set there", f"Enter BOUNCER_WEBHOOK_SECRET {page}.")


def _address(url: str) -> tuple[str, str, str]:
    """What tells it from another one: a host may be written in capitals."""
    parts = urlsplit(url.strip())
    return parts.scheme, parts.netloc.lower(), parts.path


def _database(settings: Settings) -> CheckLine:
    if absent := absent_file(settings.database_url):
        return fails("database", f"there is no {absent} yet", "Run `bouncer migrate`.")
    try:
        database = Database.open(settings.database_url)
        try:
            database.check()
            database.check_writable()
            for engine, schema in database.schemas:
                with engine.connect() as connection, connection.begin():
                    # A write that changes nothing: a read-only database refuses it all the same.
                    connection.execute(delete(schema.metadata.sorted_tables[0]).where(false()))
        finally:
            database.close()
    except DatabaseError as error:
        return fails("database", str(error))
    except SQLAlchemyError as error:
        return fails("database", f"it cannot be written: {trouble(database.main.url, error)}")
    return passes("database", "reachable, migrated and writable")
