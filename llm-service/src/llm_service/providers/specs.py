"""What a request to a model is made of, apart from its conversation: address, key, limits, thinking."""

import re
from dataclasses import dataclass, field

from llm_service.errors import invalid
from llm_service.providers.credentials import api_key, credentials_file, file_stamp
from llm_service.turn import Turn

SHORT_ANSWER_TOKENS = 8192
_OPENAI_REASONING = re.compile(r"^(?:o\d|gpt-[5-9])(?!.*chat)")
_CLAUDE_BUDGET = re.compile(r"^claude-(?:3-7-sonnet|(?:opus|sonnet|haiku)-4(?:-[015])?(?:[-@]\d{8})?$)")
CLAUDE_ADAPTIVE = re.compile(r"^claude-(?:opus-(?:4-[6-9]|[5-9])|sonnet-(?:4-[6-9]|[5-9]))")


@dataclass(frozen=True, slots=True)
class Spec:
    """The model of a request, and how it is reached."""

    provider: str
    model: str
    secret: str = field(default="", repr=False)
    base_url: str = ""
    credentials: str = ""
    credentials_stamp: str = ""
    project: str = ""
    location: str = ""
    max_tokens: int = 0
    thinks: bool = False
    refused: frozenset[str] = frozenset()
    """Options that this model is known to refuse."""

    @property
    def family(self) -> str:
        """The vendor whose provider state this model can read: Vertex AI serves models of two vendors."""
        is_claude = self.provider == "vertexai" and self.model.startswith("claude")
        return "vertexai-claude" if is_claude else self.provider

    @property
    def is_claude(self) -> bool:
        """Whether it speaks Anthropic's protocol."""
        return self.family in ("anthropic", "vertexai-claude")

    @property
    def short(self) -> bool:
        """Whether the limit leaves no room for long thinking, which counts as output."""
        return 0 < self.max_tokens < SHORT_ANSWER_TOKENS

    @property
    def key(self) -> tuple[str, str, str]:
        """What refuses or accepts an option."""
        return (self.provider, self.model, self.base_url)


def spec(turn: Turn) -> Spec:
    """Reads the model that a request names; raises `ProviderError` if it cannot be served."""
    config = turn.config
    if not config.model:
        raise invalid("the provider has no model")
    vertex = config.provider == "vertexai"
    path = credentials_file(config) if vertex else ""
    return Spec(
        provider=config.provider,
        model=config.model,
        secret="" if vertex else api_key(config),
        base_url=config.base_url,
        credentials=path,
        credentials_stamp=file_stamp(path),
        project=config.project,
        location=config.location,
        max_tokens=turn.max_output_tokens,
        thinks=_thinks(config.provider, config.model),
    )


def _thinks(provider: str, model: str) -> bool:
    match provider:
        case "openai":
            return bool(_OPENAI_REASONING.match(model))
        case "anthropic" | "vertexai":
            return bool(_CLAUDE_BUDGET.match(model) or CLAUDE_ADAPTIVE.match(model))
        case _:
            return False
