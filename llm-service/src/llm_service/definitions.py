"""The providers of the configuration: what each is, and how to reach it. Callers only name one.

The rules are those of `libs/catalog`: an entry replaces the built-in one of its name, and `{{.NAME}}` stands for a
variable. That library checks the files; what it would refuse is refused here only as far as a turn would use it. A test
compares the two.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, cast

import yaml

from llm_service.settings import SettingsError, read_variable

TYPES = ("google", "openai", "anthropic", "xai", "vertexai")
# Providers of this type answer in the services that call models.
_OFFLINE = "offline"

_FILE = "llm-providers.yaml"
_BUILTIN = Path(__file__).parent / "gen" / _FILE
_SWITCH = "search_with_tool_text"
_MOST_BYTES = 4 * 1024 * 1024
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}")
# YAML would read the braces of `{{.NAME}}` as mappings: characters of the private use area stand for them meanwhile.
_TEMPLATE = re.compile(r"\{\{ *\.([A-Za-z_][A-Za-z0-9_]*) *\}\}")
_HIDDEN = re.compile("\ue0a7([^\ue0a8]*)\ue0a8")


class UnknownProviderError(LookupError):
    """A caller named no provider of the configuration; the same request would fail again."""


@dataclass(frozen=True, slots=True)
class Definition:
    """One provider; empty texts stand for what is not configured, and no text is a key."""

    name: str
    type: str
    model: str
    api_key_env: str = ""
    credentials_env: str = ""
    project_env: str = ""
    location_env: str = ""
    base_url: str = ""
    search_with_tool_text: bool = False

    def missing(self) -> tuple[str, ...]:
        """Returns the variables that it names and that are not set now; `api_key_env` if it has no way to a model."""
        if not (self.api_key_env or self.credentials_env or self.base_url or self.project_env):
            return ("api_key_env",)
        named = (self.api_key_env, self.credentials_env, self.project_env, self.location_env)
        return tuple(name for name in named if name and not read_variable(name))


class Definitions:
    """The providers by name."""

    def __init__(self, definitions: Mapping[str, Definition]) -> None:
        """Keeps the mapping itself, which does not change while the service runs."""
        self._definitions = definitions

    def all(self) -> tuple[Definition, ...]:
        """Returns them in the order of their names."""
        return tuple(self._definitions[name] for name in sorted(self._definitions))

    def get(self, name: str) -> Definition | None:
        """Returns a provider, or None."""
        return self._definitions.get(name)

    def find(self, name: str) -> Definition:
        """Returns a provider; raises `UnknownProviderError`, which says what to do."""
        found = self._definitions.get(name)
        if found is not None:
            return found
        if not name:
            raise UnknownProviderError("the request names no provider: an older service may have sent it")
        if name == _OFFLINE:
            raise UnknownProviderError("the offline analyst answers in the services themselves: an older one asked")
        message = (
            f"llm-service has no provider {name[:80]!r}: give it the same {_FILE} as the other services "
            "(TARSY_CONFIG_DIR), and restart it after a change"
        )
        raise UnknownProviderError(message)


def load(folder: str) -> Definitions:
    """Reads the built-in providers and those of a folder; an empty `folder` has none."""
    entries = _entries(_BUILTIN.read_text(), _BUILTIN.name)
    if folder:
        entries |= _entries(_read(Path(folder)), str(Path(folder) / _FILE))
    models = {name: entry for name, entry in entries.items() if entry.get("type") != _OFFLINE}
    return Definitions({name: _definition(name, entry) for name, entry in models.items()})


def _read(folder: Path) -> str:
    if not folder.is_dir():
        raise SettingsError(f"TARSY_CONFIG_DIR is {str(folder)!r}, which is no folder")
    path = folder / _FILE
    if not path.exists():
        return ""
    if path.stat().st_size > _MOST_BYTES:
        raise SettingsError(f"{path} has more than {_MOST_BYTES} bytes: make it smaller")
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} cannot be read: make it readable UTF-8 text") from error


def _entries(text: str, place: str) -> dict[str, dict[str, Any]]:
    hidden = _TEMPLATE.sub("\ue0a7\\1\ue0a8", text)
    try:
        document: Any = yaml.safe_load(hidden)
    except yaml.YAMLError as error:
        raise SettingsError(f"{place} is no YAML: `tarsy config check` shows the line") from error
    section = cast("dict[str, Any]", document).get("llm_providers") if isinstance(document, dict) else None
    providers = cast("dict[str, Any]", section) if isinstance(section, dict) else {}
    wrong = [str(name) for name, entry in providers.items() if not isinstance(entry, dict)]
    if document is not None and (wrong or not isinstance(section, dict | None)):
        raise SettingsError(f"{place}: llm_providers is no mapping of providers ({', '.join(wrong)})")
    return {str(name): entry for name, entry in providers.items()}


def _definition(name: str, entry: Mapping[str, Any]) -> Definition:
    texts = [field.name for field in fields(Definition) if field.name not in ("name", _SWITCH)]
    values = {key: _text(name, key, entry.get(key)) for key in texts}
    definition = Definition(name=name, **values, search_with_tool_text=_switch(name, _SWITCH, entry.get(_SWITCH)))
    if definition.type not in TYPES:
        raise _problem(name, "type", f"write one of {', '.join(TYPES)}")
    if not definition.model.strip():
        raise _problem(name, "model", "write the model's name at the provider")
    for key, value in values.items():
        if key.endswith("_env") and value and not _VARIABLE.fullmatch(value):
            raise _problem(name, key, "write the name of a variable, never its value")
    return definition


def _text(name: str, key: str, value: object) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise _problem(name, key, "write a text")

    def expand(match: re.Match[str]) -> str:
        found = read_variable(match.group(1))
        if not found:
            raise _problem(name, key, f"set the variable {match.group(1)}")
        return found

    return _HIDDEN.sub(expand, value)


def _switch(name: str, key: str, value: object) -> bool:
    if value is not None and not isinstance(value, bool):
        raise _problem(name, key, "write true or false")
    return value or False


def _problem(name: str, key: str, advice: str) -> SettingsError:
    return SettingsError(f"{_FILE}: llm_providers.{name}.{key} is not valid: {advice}")
