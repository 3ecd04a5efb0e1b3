"""Service accounts of Google Cloud, made up."""

import json
from pathlib import Path

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa


def write_account(path: Path, token_uri: str) -> None:
    """Writes the file of a service account whose tokens this address gives."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    encoding = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    account = {
        "type": "service_account",
        "project_id": "shop",
        "private_key_id": "1",
        "private_key": key.private_bytes(*encoding).decode(),
        "client_email": "sre@shop.example.com",
        "token_uri": token_uri,
    }
    path.write_text(json.dumps(account))
