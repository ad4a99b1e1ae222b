"""Files that lie beside GitHub's API, fetched within bounds and without a token: in its storage, or attached to a text.

Where they lie was said by GitHub or matched before; a redirect is followed only to the same host, or to GitHub's own
storage for what people upload. A zip archive among them is read in memory: nothing is written, and no name in it is a
path here.
"""

import time
import zipfile
import zlib
from collections.abc import Callable, Iterator
from io import BytesIO
from lzma import LZMAError
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


MOST_ENTRIES = 1_000

# All that reading a hostile archive may raise: damaged, encrypted, of an unknown method, with odd numbers.
_DAMAGED = (
    *(zipfile.BadZipFile, zlib.error, LZMAError, EOFError, OSError),
    *(RuntimeError, NotImplementedError, ValueError, OverflowError, MemoryError),
)


def members(archive: bytes, wanted: Callable[[str], bool], most: int) -> Iterator[tuple[str, bytes]]:
    """Names and contents of the files whose name is wanted, at most `most` bytes of each: a larger one is left out,
    whatever size it claims. What is damaged, encrypted or no archive gives nothing more."""
    try:
        with zipfile.ZipFile(BytesIO(archive)) as opened:
            for entry in opened.infolist()[:MOST_ENTRIES]:
                if not entry.filename or entry.is_dir() or not wanted(entry.filename):
                    continue
                with opened.open(entry) as file:
                    content = file.read(most + 1)
                if len(content) <= most:
                    yield entry.filename, content
    except _DAMAGED:
        return
