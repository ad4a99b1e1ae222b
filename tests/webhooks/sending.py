"""Deliveries as GitHub would send them."""

import json
import uuid
from typing import Any

from webhooks.secrets import sign

SECRET = "it is a long and winding secret"
OLD_SECRET = "it was a long and winding secret"


def payload(**changes: Any) -> dict[str, Any]:
    """An `issues` payload with only what an opened issue needs, and `changes` on top."""
    return {
        "action": "opened",
        "installation": {"id": 7},
        "sender": {"login": "reporter", "type": "User"},
        "repository": {"id": 11, "full_name": "acme/widgets", "default_branch": "main"},
        "issue": {
            "number": 3,
            "title": "It fails",
            "body": "Sometimes.",
            "user": {"login": "reporter", "type": "User"},
        },
        **changes,
    }


def signed(body: bytes, *, secret: str = SECRET, event: str = "issues", guid: str | None = None) -> dict[str, str]:
    """The headers GitHub sends with this body."""
    return {
        "Content-Type": "application/json",
        "X-GitHub-Event": event,
        "X-GitHub-Delivery": guid or str(uuid.uuid4()),
        "X-Hub-Signature-256": sign(body, secret.encode()),
    }


def encoded(content: Any) -> bytes:
    return json.dumps(content).encode()
