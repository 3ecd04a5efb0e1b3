"""The process settings. The only module that reads the environment."""

import os
import re
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from llm_service import cpus

MIN_TOKEN_BYTES = 32
MOST_WORKERS = 64
# By default; each worker takes some 60 MiB, and 50 more once Google's SDK is loaded.
MOST_WORKERS_UNASKED = 8
CONFIG_DIR = "deploy/config"
LEVELS = ("debug", "info", "warning", "error")
PRELOADABLE = ("google-native", "openai", "anthropic", "xai", "google", "vertexai")


class SettingsError(ValueError):
    """A setting that is not valid; the message says what to write instead."""


@dataclass(frozen=True)
class Settings:
    """Process settings, read once at the start."""

    address: str = "127.0.0.1:50051"
    log_level: str = "info"
    grace_seconds: float = 10.0
    admin_address: str = ""
    max_turns: int = 128
    workers: int = 0
    stall_seconds: float = 3600.0
    preload: tuple[str, ...] = ()
    debuggable: bool = False
    config_dir: str = ""
    token: str = field(default="", repr=False)
    tls_cert: str = ""
    tls_key: str = ""
    tls_ca: str = ""
    otlp_endpoint: str = ""
    capture_content: bool = False

    @classmethod
    def from_env(cls, env: Mapping[str, str] | None = None) -> "Settings":
        """Reads the settings; empty variables count as unset."""
        source = os.environ if env is None else env
        level = source.get("LOG_LEVEL", "").strip().lower() or cls.log_level
        level = "warning" if level == "warn" else level
        if level not in LEVELS:
            raise SettingsError(f"LOG_LEVEL is {level!r}: write one of {', '.join(LEVELS)}")
        return cls(
            address=_address(source, "LLM_SERVICE_ADDR") or cls.address,
            log_level=level,
            grace_seconds=_number(source, "LLM_SERVICE_GRACE_SECONDS", cls.grace_seconds),
            admin_address=_address(source, "LLM_SERVICE_ADMIN_ADDR"),
            max_turns=_count(source, "LLM_SERVICE_MAX_TURNS", cls.max_turns),
            workers=_count(source, "LLM_SERVICE_WORKERS", cls.workers, MOST_WORKERS),
            stall_seconds=_positive(source, "LLM_SERVICE_STALL_SECONDS", cls.stall_seconds),
            preload=_names(source, "LLM_SERVICE_PRELOAD", PRELOADABLE),
            debuggable=source.get("TARSY_DEBUGGABLE", "").strip() == "true",
            config_dir=source.get("TARSY_CONFIG_DIR", "").strip() or _default_config_dir(),
            token=_token(source),
            otlp_endpoint=_endpoint(source, "OTEL_EXPORTER_OTLP_ENDPOINT"),
            capture_content=_switch(source, "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"),
            **_tls(source),
        )

    def worker_count(self) -> int:
        """Returns how many worker processes there are: as set, else one for each processor, up to 8."""
        return self.workers or min(cpus.allowed(), MOST_WORKERS_UNASKED)

    def max_turns_of_each(self) -> int:
        """Returns how many turns one worker may run; together they may run at least `max_turns`."""
        return -(-self.max_turns // self.worker_count())


def read_variable(name: str) -> str:
    """Returns what an environment variable holds now, or an empty text.

    Keys are looked up at each call, so that a rotated one is used without a restart.
    """
    return os.environ.get(name, "").strip() if name else ""


def _default_config_dir() -> str:
    return CONFIG_DIR if Path(CONFIG_DIR).is_dir() else ""


def _address(source: Mapping[str, str], name: str) -> str:
    text = source.get(name, "").strip()
    if not text:
        return ""
    if text.startswith("unix:"):
        return text
    for scheme in ("http://", "https://", "grpc://"):
        text = text.removeprefix(scheme)
    host, colon, port = text.rstrip("/").rpartition(":")
    if not colon or not port.isdigit() or int(port) > 65535:
        raise SettingsError(f"{name} is {text!r}: write HOST:PORT, such as 127.0.0.1:50051, or unix:PATH")
    return f"{host or _every_interface()}:{port}"


def _every_interface() -> str:
    """Returns the address that stands for every interface, of IPv6 too where the kernel maps IPv4 into it."""
    return "[::]" if socket.has_dualstack_ipv6() else "0.0.0.0"  # noqa: S104 - an empty host means all of them


def _endpoint(source: Mapping[str, str], name: str) -> str:
    text = source.get(name, "").strip()
    if text and not re.fullmatch(r"https?://[^\s/]+(/.*)?", text):
        raise SettingsError(f"{name} is {text!r}: write a URL such as http://otel-collector:4317")
    return text


def _switch(source: Mapping[str, str], name: str) -> bool:
    text = source.get(name, "").strip() or "false"
    if text not in ("true", "false"):
        raise SettingsError(f"{name} is {text!r}: write true or false")
    return text == "true"


def _token(source: Mapping[str, str]) -> str:
    """Reads the token of the callers; a problem never contains it."""
    name, path = "LLM_SERVICE_TOKEN", source.get("LLM_SERVICE_TOKEN_FILE", "").strip()
    token = source.get(name, "").strip()
    if token and path:
        raise SettingsError("LLM_SERVICE_TOKEN and LLM_SERVICE_TOKEN_FILE are both set: keep one of them")
    if path:
        name = "LLM_SERVICE_TOKEN_FILE"
        try:
            token = Path(path).read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise SettingsError(f"{name} is {path!r}, which cannot be read") from error
    short = len(token.encode()) < MIN_TOKEN_BYTES and (token or path)
    if short or not token.isascii() or any(letter.isspace() for letter in token):
        advice = "write the output of `openssl rand -hex 32`"
        raise SettingsError(f"{name} is no token of at least {MIN_TOKEN_BYTES} bytes: {advice}")
    return token


def _tls(source: Mapping[str, str]) -> dict[str, str]:
    read = {name: source.get(f"LLM_SERVICE_{name.upper()}", "").strip() for name in ("tls_cert", "tls_key", "tls_ca")}
    if bool(read["tls_cert"]) != bool(read["tls_key"]) or (read["tls_ca"] and not read["tls_cert"]):
        raise SettingsError(
            "set LLM_SERVICE_TLS_CERT and LLM_SERVICE_TLS_KEY together, and both for LLM_SERVICE_TLS_CA"
        )
    return read


def _number(source: Mapping[str, str], name: str, default: float) -> float:
    text = source.get(name, "").strip()
    if not text:
        return default
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise SettingsError(f"{name} is {text!r}: write a number that is not negative")
    return value


def _positive(source: Mapping[str, str], name: str, default: float) -> float:
    value = _number(source, name, default)
    if not value:
        raise SettingsError(f"{name} is {source[name].strip()!r}: write a number above zero")
    return value


def _count(source: Mapping[str, str], name: str, default: int, most: int = 100_000) -> int:
    text = source.get(name, "").strip()
    if not text:
        return default
    if not text.isdecimal() or not 1 <= int(text) <= most:
        raise SettingsError(f"{name} is {text!r}: write a whole number from 1 to {most}")
    return int(text)


def _names(source: Mapping[str, str], name: str, known: tuple[str, ...]) -> tuple[str, ...]:
    names = tuple(word for word in re.split(r"[\s,]+", source.get(name, "")) if word)
    for one in names:
        if one not in known:
            raise SettingsError(f"{name} is {one!r}: write names out of {', '.join(known)}, with commas between")
    return names
