"""Every way to a vendor that there is: one table, against which the tests are held."""

from dataclasses import dataclass
from typing import Any

from conftest import KEY_ENV, ask
from llm_service.gen.llm.v1 import llm_pb2

ACCOUNT_ENV = "TEST_ACCOUNT"


@dataclass(frozen=True)
class Vendor:
    """One way to a vendor."""

    backend: str
    provider: str
    model: str
    protocol: str
    """As llmock names it."""
    thinks: bool = True
    """Whether a model of this name is asked for its thoughts."""
    version: str = ""
    """What the base URL ends with."""

    def __str__(self) -> str:
        return f"{self.backend}-{self.provider}-{self.model}"

    @property
    def vertex(self) -> bool:
        return self.provider == "vertexai"

    @property
    def family(self) -> str:
        """Whose protocol it is."""
        return {"openai": "openai", "xai": "openai"}.get(self.protocol, self.protocol)

    def ask(self, url: str, content: str = "hello there", **config: Any) -> llm_pb2.GenerateRequest:
        """A request to a server that speaks this vendor's protocol."""
        if self.vertex:
            config |= {"credentials_env": ACCOUNT_ENV, "project": "shop", "location": "europe-west1"}
        else:
            config["api_key_env"] = KEY_ENV
        return ask(
            content,
            backend=self.backend,
            provider=self.provider,
            model=self.model,
            base_url=url + self.version,
            **config,
        )


CHAT = Vendor("langchain", "openai", "gpt-4o", "openai", thinks=False, version="/v1")
RESPONSES = Vendor("langchain", "openai", "o3", "openai", version="/v1")
CLAUDE = Vendor("langchain", "anthropic", "claude-3-5-sonnet-20241022", "anthropic", thinks=False)
CLAUDE_THINKING = Vendor("langchain", "anthropic", "claude-sonnet-4-5-20250929", "anthropic")
XAI = Vendor("langchain", "xai", "grok-4-1-fast-reasoning", "xai", version="/v1")
GEMINI = Vendor("langchain", "google", "gemini-2.5-flash", "gemini")
NATIVE = Vendor("google-native", "google", "gemini-2.5-pro", "gemini")
NATIVE_3 = Vendor("google-native", "google", "gemini-3-pro", "gemini")
VERTEX_CLAUDE = Vendor("langchain", "vertexai", "claude-sonnet-4-5@20250929", "anthropic", version="/v1")
VERTEX_GEMINI = Vendor("langchain", "vertexai", "gemini-2.5-flash", "gemini")
VERTEX_NATIVE = Vendor("google-native", "vertexai", "gemini-2.5-pro", "gemini")
ALL = (
    CHAT, RESPONSES, CLAUDE, CLAUDE_THINKING, XAI, GEMINI, NATIVE, NATIVE_3, VERTEX_CLAUDE, VERTEX_GEMINI, VERTEX_NATIVE,
)  # fmt: skip
