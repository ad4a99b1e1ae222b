"""RSA keys as GitHub makes them for Apps."""

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa


def new_private_key() -> str:
    """A fresh RSA key in PEM, as GitHub hands it out for an App."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    kind = serialization.PrivateFormat.TraditionalOpenSSL
    return key.private_bytes(serialization.Encoding.PEM, kind, serialization.NoEncryption()).decode()


def public_half(private_key: str) -> str:
    key = serialization.load_pem_private_key(private_key.encode(), None, unsafe_skip_rsa_key_validation=True)
    kind = serialization.PublicFormat.SubjectPublicKeyInfo
    return key.public_key().public_bytes(serialization.Encoding.PEM, kind).decode()
