"""Files that lie beside GitHub's API, fetched within bounds and without a token: in its storage, or attached to a text.

Where they lie was said by GitHub; a redirect is followed only to the same host, or to GitHub's own storage.
"""

import time
from urllib.parse import urljoin, urlsplit

import requests

from bot.github.errors import NotFound, Rejected, Unavailable

WITHIN = 120.0  # seconds
MOST_REDIRECTS = 3
_STORAGE = ".githubusercontent.com"
_CHUNK = 1 << 16


def download(address: str, most: int, within: float = WITHIN) -> bytes:
    """What lies there. No credential is sent, none of this machine's either.

    Raises `NotFound`, `Rejected` when it is larger than `most` bytes or leads elsewhere, and `Unavailable`.
    """
    deadline = time.monotonic() + within
    try:
        for _ in range(MOST_REDIRECTS + 1):
            with requests.get(
                address, stream=True, timeout=20, allow_redirects=False, auth=lambda request: request
            ) as answer:
                if not answer.is_redirect:
                    return _content(answer, most, deadline)
                address = redirect_target(address, answer.headers["location"])
    except requests.RequestException as error:
        raise Unavailable(f"the file cannot be downloaded ({type(error).__name__})") from None
    raise Rejected("the file leads from one place to the next")


def redirect_target(address: str, location: str) -> str:
    """Where a redirect leads. Raises `Rejected` for what is neither the same host nor GitHub's storage.

    Looked at is what would be asked for, as requests writes it: others read `https://host\\@other/` as another host.
    """
    try:
        leads = _as_asked(urljoin(address, location))
        old, new = urlsplit(_as_asked(address)), urlsplit(leads)
        same = (new.scheme, new.netloc) == (old.scheme, old.netloc)
        stored = new.scheme == "https" and new.port in (None, 443) and (new.hostname or "").endswith(_STORAGE)
    except (requests.RequestException, ValueError):
        raise Rejected("the file leads to no address") from None
    if "@" not in new.netloc and (same or stored):
        return leads
    raise Rejected("the file leads to another host")


def _as_asked(address: str) -> str:
    return requests.Request("GET", address).prepare().url or ""


def _content(answer: requests.Response, most: int, deadline: float) -> bytes:
    if answer.status_code in (401, 403, 404, 410):
        raise NotFound("there is no such file, or it cannot be seen", answer.status_code)
    if answer.status_code != 200:
        raise Unavailable("the file cannot be downloaded", answer.status_code)
    found = bytearray()
    for chunk in answer.iter_content(_CHUNK):
        found += chunk
        if len(found) > most:
            raise Rejected("the file is larger than it may be")
        if time.monotonic() > deadline:
            raise Unavailable("the file takes too long to download")
    return bytes(found)
