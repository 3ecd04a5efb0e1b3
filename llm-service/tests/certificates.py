"""An authority, and certificates that it signed, for the name localhost."""

import datetime
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


class Authority:
    """Signs certificates into a folder."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder = folder
        self._name = name
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        self.path = str(folder / f"{name}.pem")
        self._write(f"{name}.pem", self._certificate(self._subject, self._key.public_key(), is_ca=True))

    def issue(self, name: str) -> tuple[str, str]:
        """Returns the paths of a new certificate and its key."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        self._write(f"{self._name}-{name}.pem", self._certificate(subject, key.public_key(), is_ca=False))
        encoding = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        self._write(f"{self._name}-{name}.key", key.private_bytes(*encoding))
        return str(self._folder / f"{self._name}-{name}.pem"), str(self._folder / f"{self._name}-{name}.key")

    def _write(self, name: str, content: bytes) -> None:
        (self._folder / name).write_bytes(content)

    def _certificate(self, subject: x509.Name, key: ec.EllipticCurvePublicKey, *, is_ca: bool) -> bytes:
        now = datetime.datetime.now(datetime.UTC)
        names = x509.SubjectAlternativeName([x509.DNSName("localhost")])
        built = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._subject)
            .public_key(key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(days=1))
            .not_valid_after(now + datetime.timedelta(days=1))
            .add_extension(x509.BasicConstraints(ca=is_ca, path_length=None), critical=True)
            .add_extension(names, critical=False)
            .sign(self._key, hashes.SHA256())
        )
        return built.public_bytes(serialization.Encoding.PEM)
