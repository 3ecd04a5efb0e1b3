"""Google's service accounts, and the tokens by which Claude on Vertex AI is asked."""

import asyncio
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from google.auth.credentials import Credentials
from google.oauth2 import service_account as google_service_account

from llm_service.errors import ErrorCode, ProviderError
from llm_service.providers.async_cache import AsyncCache
from llm_service.providers.specs import Spec

_SCOPE = "https://www.googleapis.com/auth/cloud-platform"
_MAX_ACCOUNTS = 32


def service_account(path: str) -> Credentials:
    """Credentials of a service account's file."""
    try:
        return google_service_account.Credentials.from_service_account_file(path, scopes=[_SCOPE])  # pyright: ignore[reportUnknownMemberType]
    except (OSError, ValueError) as error:
        message = "the service account's file cannot be read"
        raise ProviderError(ErrorCode.CREDENTIALS, message) from error


@dataclass(slots=True)
class _Account:
    credentials: Any
    project: str
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class Accounts:
    """The accounts of this process, each with the token that it has for the time being."""

    def __init__(self) -> None:
        """Starts empty."""
        self._accounts: AsyncCache[tuple[str, str], _Account] = AsyncCache(_MAX_ACCOUNTS)

    async def signed(self, spec: Spec) -> Spec:
        """Returns the same model with a valid token as its secret, and the account's project if it names none."""
        account = await self._accounts.get((spec.credentials, spec.credentials_stamp), partial(_load, spec.credentials))
        async with account.lock:
            if not account.credentials.valid:
                await asyncio.to_thread(_refresh, account.credentials)
        return replace(spec, secret=str(account.credentials.token), project=spec.project or account.project)


def _load(path: str) -> _Account:
    if path:
        credentials = service_account(path)
        return _Account(credentials, str(getattr(credentials, "project_id", None) or ""))
    import google.auth  # noqa: PLC0415 - looks for a server of metadata only when it is used

    found: tuple[Any, str | None] = google.auth.default(scopes=[_SCOPE])  # pyright: ignore
    return _Account(found[0], found[1] or "")


def _refresh(credentials: Any) -> None:  # noqa: ANN401 - the library has no types
    from google.auth.transport.requests import Request  # noqa: PLC0415 - as above

    credentials.refresh(Request())
