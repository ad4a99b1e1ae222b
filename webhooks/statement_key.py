"""`GET /statement-key.pem`: the public half of the key that signs verdicts. Anybody may have it."""

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from flask import Blueprint, Response, abort

from bot.statements.keys import public_pem


def statement_key(key: Ed25519PrivateKey | None) -> Blueprint:
    """key: `None` where verdicts are not signed."""
    blueprint = Blueprint("statement_key", __name__)

    @blueprint.get("/statement-key.pem")
    def public() -> Response:
        if key is None:
            abort(404)
        return Response(public_pem(key.public_key()), mimetype="application/x-pem-file")

    return blueprint
