"""Finds the provider of a backend. Google's SDK is imported on first use, which takes seconds."""

import asyncio
import importlib
from collections.abc import Mapping
from typing import TYPE_CHECKING

from llm_service import heap
from llm_service.errors import ErrorCode, ProviderError
from llm_service.providers.base import Provider
from llm_service.turn import Config

if TYPE_CHECKING:
    from llm_service.providers.embeddings import Embeddings

GOOGLE_NATIVE = "google-native"
LANGCHAIN = "langchain"
# The types that each backend serves: another one would send a key to a vendor that it does not belong to.
_TYPES = {
    GOOGLE_NATIVE: ("google", "vertexai"),
    LANGCHAIN: ("openai", "anthropic", "xai", "google", "vertexai"),
}

_MODULES = {
    GOOGLE_NATIVE: ("llm_service.providers.google_native", "GoogleNativeProvider"),
    LANGCHAIN: ("llm_service.providers.direct", "DirectProvider"),
}
# What each name of LLM_SERVICE_PRELOAD imports in addition to its backend.
_VENDORS = {
    GOOGLE_NATIVE: (),
    "openai": (),
    "anthropic": (),
    "xai": (),
    "google": ("llm_service.providers.google_native",),
    "vertexai": ("llm_service.providers.google_native", "google.auth.transport.requests"),
}


class Registry:
    """The providers of this process; each is created once."""

    def __init__(self, providers: Mapping[str, Provider] | None = None) -> None:
        """Begins with these providers, by backend; others are created when they are first asked for."""
        self._providers: dict[str, Provider] = dict(providers or {})
        self._embeddings: Embeddings | None = None
        self._lock = asyncio.Lock()

    async def find(self, config: Config) -> Provider:
        """Returns the provider that serves this configuration."""
        usual = (one for one, types in _TYPES.items() if config.provider in types)
        backend = config.backend or next(usual, GOOGLE_NATIVE)
        if config.provider not in _TYPES.get(backend, ()):
            known = ", ".join(one for one, types in _TYPES.items() if config.provider in types)
            message = f"no backend {backend[:40]!r} for a provider of type {config.provider}: use one of {known}"
            raise ProviderError(ErrorCode.INVALID_BACKEND, message)
        return await self._loaded(backend)

    async def _loaded(self, backend: str) -> Provider:
        if backend not in self._providers:
            async with self._lock:
                if backend not in self._providers:
                    self._providers[backend] = await self._create(backend)
        return self._providers[backend]

    async def embeddings(self) -> "Embeddings":
        """Returns what makes vectors."""
        async with self._lock:
            found = self._embeddings
            if found is None:
                module = await asyncio.to_thread(importlib.import_module, "llm_service.providers.embeddings")
                heap.freeze()
                found = self._embeddings = module.Embeddings()
        return found

    async def preload(self, names: tuple[str, ...]) -> None:
        """Imports what these providers need, so that no turn waits for it."""
        for name in names:
            await self._loaded(GOOGLE_NATIVE if name == GOOGLE_NATIVE else LANGCHAIN)
            for module in _VENDORS[name]:
                await asyncio.to_thread(importlib.import_module, module)
        heap.freeze()

    async def close(self) -> None:
        """Closes every provider."""
        for provider in self._providers.values():
            await provider.close()
        if self._embeddings is not None:
            await self._embeddings.close()

    async def _create(self, backend: str) -> Provider:
        module_name, class_name = _MODULES[backend]
        module = await asyncio.to_thread(importlib.import_module, module_name)
        heap.freeze()
        return getattr(module, class_name)()
