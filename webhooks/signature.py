"""Is this really GitHub? The HMAC SHA-256 of the raw body, compared in constant time, before anything is parsed."""

import hashlib
import hmac
import re
from collections.abc import Sequence

HEADER = "X-Hub-Signature-256"

_FORM = re.compile(r"sha256=[0-9a-f]{64}")


def is_well_formed(signature: str | None) -> bool:
    """Whether a header could be a signature at all; worth knowing before a body is read."""
    return signature is not None and _FORM.fullmatch(signature) is not None


def is_genuine(signature: str, body: bytes, secrets: Sequence[bytes]) -> bool:
    """Whether one of the secrets made this signature of this body. Every secret is tried, whichever fits."""
    fits = [hmac.compare_digest(sign(body, secret).encode(), signature.encode()) for secret in secrets]
    return any(fits)


def sign(body: bytes, secret: bytes) -> str:
    """The header GitHub sends with this body."""
    return "sha256=" + hmac.new(secret, body, hashlib.sha256).hexdigest()
