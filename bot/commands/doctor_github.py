"""Whether GitHub knows the App, and it may do there what it needs: its secret, key, permissions, events, webhook. And
whether deliveries arrive, as GitHub's own log says, and people reach the pages."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from urllib.parse import urlsplit

import requests

from bot.commands.doctor_lines import CheckLine, CheckOutcome, fails, passes, warns
from bot.github.app import GitHubApp
from bot.github.auth import AppToken, read_private_key
from bot.github.deliveries import HookDelivery
from bot.github.errors import GitHubError
from bot.github.registration import EVENTS, PERMISSIONS, Registration, ask
from bot.plain_text import clean
from bot.settings import Settings, SettingsError
from webhooks.port import port_problem
from webhooks.secrets import SHORTEST_SECRET

SKEW_WARN, SKEW_FAIL = 30, 60  # seconds; GitHub refuses a token whose clock is off by a minute
LEVELS = ("none", "read", "write", "admin")
_PATIENCE = 10  # seconds
_ADVANCED = "on the App's settings page, under Advanced, Recent Deliveries"


def github_lines(settings: Settings, public: CheckLine | None, started: bool) -> Iterator[CheckLine]:
    """public: what came of asking the public address; `None` where nobody asked. started: the server has been."""
    yield from _webhook_secret(settings)
    yield from _app(settings, public, started)


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


def _app(settings: Settings, public: CheckLine | None, started: bool) -> Iterator[CheckLine]:
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


def delivery_line(newest: HookDelivery | None, *, silent: bool) -> CheckLine:
    """What the newest attempt of GitHub's log says; earlier ones may be of before a mend. `None`: nothing was sent.
    silent: nor does Bouncer answer where people reach it."""
    if newest is None:
        return passes("deliveries", "GitHub has sent nothing yet")
    told = f"the newest, {newest.event} of {newest.delivered_at},"
    if newest.is_delivered:
        return passes("deliveries", f"{told} arrived ({newest.status_code})")
    if newest.status_code == 401:
        mend = (
            "Enter the value of BOUNCER_WEBHOOK_SECRET on the App's settings page, under General, Webhook. What was "
            "refused is asked for again."
        )
        return fails("deliveries", f"{told} was refused (401): GitHub signs with another secret", mend)
    mend = f"Look {_ADVANCED}; check the webhook's address, the proxy, and that `bouncer serve` runs."
    says = f"{told} did not arrive ({newest.status_code})"
    if silent:
        return fails("deliveries", f"{says}, and Bouncer does not answer at its public address", mend)
    return warns("deliveries", says, mend)


def port_line(settings: Settings) -> CheckLine:
    """Whether the web process can listen, or does so already."""
    where = f"{settings.host} port {settings.port}"
    problem = port_problem(settings)
    if problem is None:
        return passes("port", f"{where} is free" if settings.port else "a free one is picked")
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(settings.host, settings.host)  # noqa: S104 - where to ask
    if not _why_not_bouncer(f"http://{f'[{host}]' if ':' in host else host}:{settings.port}"):
        return passes("port", f"Bouncer listens on {where}")
    return fails("port", f"`bouncer serve` cannot listen on {where}: {problem.why}", problem.mend)


def _why_not_bouncer(address: str) -> str:
    """What is wrong there, as a phrase; empty where Bouncer answers."""
    try:
        found = requests.get(f"{address}/healthz", timeout=_PATIENCE)
    except requests.RequestException as error:
        return f"does not answer ({type(error).__name__})"
    is_alive = found.status_code == 200 and found.text.strip() == "alive"
    return "" if is_alive else f"answers {found.status_code}, and is not Bouncer"


def public_line(settings: Settings) -> CheckLine:
    """Whether the address that links carry answers from here. A network may not let a server reach itself that way."""
    url = settings.public_url.rstrip("/")
    if not url:
        mend = "Set BOUNCER_PUBLIC_URL to where people reach the web process."
        return warns("public address", "none is set, so checks and comments link to no page", mend)
    mend = "Check that `bouncer serve` runs and the proxy leads there; not every network reaches itself from inside."
    if why := _why_not_bouncer(url):
        return warns("public address", f"{urlsplit(url).netloc} {why}", mend)
    return passes("public address", f"{url} leads to Bouncer")
