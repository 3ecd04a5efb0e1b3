"""Reads keys and credential files by the variables that the configuration names; no value crosses the wire."""

import hashlib
import os

from llm_service.errors import ErrorCode, ProviderError
from llm_service.settings import read_variable
from llm_service.turn import Config

# The SDKs require a key, and fall back to the vendor's own variables without one, which must not reach another server.
NO_KEY = "no-key"


def api_key(config: Config) -> str:
    """Returns the key in the variable that the configuration names, read at this moment.

    A server at a `base_url` of its own needs no variable: it is sent `NO_KEY`.
    """
    name = config.api_key_env
    if not name and config.base_url:
        return NO_KEY
    if not name:
        raise ProviderError(ErrorCode.CREDENTIALS, "the provider has no api_key_env: name a variable")
    key = read_variable(name)
    if not key:
        raise ProviderError(ErrorCode.CREDENTIALS, f"the environment variable {name} is not set")
    return key


def credentials_file(config: Config) -> str:
    """Returns the path in the variable `credentials_env`; empty for the platform's own credentials."""
    if not config.credentials_env:
        return ""
    path = read_variable(config.credentials_env)
    if not path:
        message = f"the environment variable {config.credentials_env} is not set"
        raise ProviderError(ErrorCode.CREDENTIALS, message)
    return path


def file_stamp(path: str) -> str:
    """Identifies a version of a file, so that a replaced one is read again."""
    try:
        found = os.stat(path)  # noqa: PTH116 - a path is a text here
    except OSError:
        return ""
    return f"{found.st_ino}-{found.st_mtime_ns}-{found.st_size}"


def fingerprint(secret: str) -> str:
    """Identifies a secret in a cache without storing it there."""
    return hashlib.sha256(secret.encode()).hexdigest()[:16]
