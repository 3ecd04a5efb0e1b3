"""Reads a call that a model writes as YAML, and knows the keys of calls in any notation."""

import json
import re

import yaml

IS_NAME = re.compile(r"(?:^|_)(?:name|tool|function|action|recipient|command|method)$", re.IGNORECASE)
IS_ARGUMENT = re.compile(
    r"(?:^|_|[a-z](?=[AIP]))(?:arguments?|args|kwargs|parameters|params|inputs?)(?:_json)?$", re.IGNORECASE
)
# The first line of YAML with a call.
_YAML = re.compile(
    r"\s*(?:-[ \t]+)?([A-Za-z_]\w*):[ \t]*[\"']?([A-Za-z_][\w.-]*)[\"']?[ \t]*(?:\r?\n[ \t]*([A-Za-z_]\w*:?)?)?"
)
_REFERENCE = re.compile(r"(?:^|[\s:,\[{-])[&*!]\w", re.MULTILINE)
_MAX_YAML = 64 * 1024


def yaml_name(text: str, *, is_whole: bool) -> str:
    """The name in the first line of YAML with a call; empty for any other text.

    The second line has its arguments, or may have them unless the text is whole.
    """
    match = _YAML.fullmatch(text) if not is_whole else _YAML.match(text)
    if match is None or not IS_NAME.search(match[1]):
        return ""
    follows = match[3] or ""
    if ":" in follows or is_whole:
        return match[2] if IS_ARGUMENT.search(follows.strip().rstrip(":")) else ""
    return match[2]


def yaml_of(text: str) -> object:
    """The value of YAML without references; `None` if it is none."""
    try:
        found: object = None if len(text) > _MAX_YAML or _REFERENCE.search(text) else yaml.safe_load(text)
        json.dumps(found)
    except (yaml.YAMLError, ValueError, TypeError, RecursionError):
        return None
    return found
