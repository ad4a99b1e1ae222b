"""Whether deliveries arrive, as GitHub's own log says, and whether people reach the pages."""

from urllib.parse import urlsplit

import requests

from bot.commands.doctor_lines import CheckLine, fails, passes, warns
from bot.github.deliveries import HookDelivery
from bot.settings import Settings
from webhooks.port import port_problem

_PATIENCE = 10  # seconds
_ADVANCED = "on the App's settings page, under Advanced, Recent Deliveries"


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
    if _is_bouncer(f"http://{f'[{host}]' if ':' in host else host}:{settings.port}"):
        return passes("port", f"Bouncer listens on {where}")
    return fails("port", f"`bouncer serve` cannot listen on {where}: {problem.why}", problem.mend)


def _is_bouncer(address: str) -> bool:
    try:
        found = requests.get(f"{address}/healthz", timeout=_PATIENCE)
    except requests.RequestException:
        return False
    return found.status_code == 200 and found.text.strip() == "alive"


def public_line(settings: Settings) -> CheckLine:
    """Whether the address that links carry answers from here. A network may not let a server reach itself that way."""
    url = settings.public_url.rstrip("/")
    if not url:
        mend = "Set BOUNCER_PUBLIC_URL to where people reach the web process."
        return warns("public address", "none is set, so checks and comments link to no page", mend)
    mend = "Check that `bouncer serve` runs and the proxy leads there; not every network reaches itself from inside."
    try:
        found = requests.get(f"{url}/healthz", timeout=_PATIENCE)
    except requests.RequestException as error:
        return warns("public address", f"{urlsplit(url).netloc} does not answer ({type(error).__name__})", mend)
    if found.status_code != 200 or found.text.strip() != "alive":
        return warns("public address", f"{urlsplit(url).netloc} answers {found.status_code}, and is not Bouncer", mend)
    return passes("public address", f"{url} leads to Bouncer")
