"""One request as immutable values, decoded from the wire once."""

import re
from dataclasses import dataclass, field

from llm_service.definitions import Definition
from llm_service.errors import invalid
from llm_service.gen.llm.v1 import llm_pb2
from llm_service.json_shapes import as_object, load
from llm_service.settings import read_variable

ROLES = ("system", "user", "assistant", "tool")
CHARS_PER_TOKEN = 4
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
# The native tools that carry text of the prompt to addresses.
SEARCHES = frozenset(("google_search", "url_context"))


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call of the model; arguments are JSON text."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Message:
    """One message of the conversation."""

    role: str
    content: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""
    tool_name: str = ""
    provider_state: bytes = b""


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool on offer; the schema is JSON Schema text."""

    name: str
    description: str = ""
    schema: str = ""


@dataclass(frozen=True, slots=True)
class Format:
    """The form of the answer; the schema is JSON Schema text of an object."""

    name: str
    schema: str


@dataclass(frozen=True, slots=True)
class Config:
    """The provider of a turn: its definition, and what the request may choose.

    `provider` is its type. `native_tools` holds the names of those that are on.
    """

    backend: str = ""
    provider: str = ""
    model: str = ""
    api_key_env: str = ""
    credentials_env: str = ""
    base_url: str = ""
    project: str = ""
    location: str = ""
    native_tools: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Turn:
    """One request. `max_output_tokens` of 0 leaves the limit to the provider."""

    messages: tuple[Message, ...]
    config: Config = field(default_factory=Config)
    tools: tuple[Tool, ...] = ()
    session_id: str = ""
    execution_id: str = ""
    max_output_tokens: int = 0
    answer: Format | None = None


def from_request(request: llm_pb2.GenerateRequest, definition: Definition) -> Turn:
    """Decodes a request to this provider; raises `ProviderError` if it is not valid."""
    if not request.messages:
        raise invalid("the conversation is empty")
    limit = request.llm_config.max_tool_result_tokens * CHARS_PER_TOKEN
    return Turn(
        messages=tuple(_message(message, limit) for message in request.messages),
        config=_config(request, definition),
        tools=tuple(Tool(tool.name, tool.description, tool.parameters_schema) for tool in request.tools),
        session_id=request.session_id,
        execution_id=request.execution_id,
        max_output_tokens=max(0, request.max_output_tokens),
        answer=_format(request.response_format) if request.HasField("response_format") else None,
    )


def _format(wanted: llm_pb2.ResponseFormat) -> Format:
    if not _NAME.fullmatch(wanted.name):
        raise invalid("response_format.name is not valid: write letters, digits, _ and -, at most 64")
    if not as_object(load(wanted.schema)):
        raise invalid("response_format.schema is no JSON Schema of an object")
    return Format(wanted.name, wanted.schema)


def _message(message: llm_pb2.ConversationMessage, tool_limit: int) -> Message:
    if message.role not in ROLES:
        raise invalid(f"a message has the role {message.role[:20]!r}: use one of {', '.join(ROLES)}")
    content = message.content
    if message.role == "tool" and 0 < tool_limit < len(content):
        omitted = len(content) - tool_limit
        content = f"{content[:tool_limit]}\n[{omitted} more characters omitted]"
    return Message(
        role=message.role,
        content=content,
        tool_calls=tuple(ToolCall(c.id, c.name, c.arguments) for c in message.tool_calls),
        tool_call_id=message.tool_call_id,
        tool_name=message.tool_name,
        provider_state=message.provider_state,
    )


def _config(request: llm_pb2.GenerateRequest, definition: Definition) -> Config:
    config = request.llm_config
    return Config(
        backend=config.backend,
        provider=definition.type,
        model=config.model or definition.model,
        api_key_env=definition.api_key_env,
        credentials_env=definition.credentials_env,
        base_url=definition.base_url,
        project=read_variable(definition.project_env),
        location=read_variable(definition.location_env),
        native_tools=_native_tools(request, definition),
    )


def _native_tools(request: llm_pb2.GenerateRequest, definition: Definition) -> frozenset[str]:
    """Those that the request has on; beside the result of a tool, those that search only where the operator allows it.

    The callers know more, such as what earlier agents found, and decide first.
    """
    wanted = frozenset(name for name, on in request.llm_config.native_tools.items() if on)
    has_result = any(message.role == "tool" for message in request.messages)
    return wanted - SEARCHES if has_result and not definition.search_with_tool_text else wanted
