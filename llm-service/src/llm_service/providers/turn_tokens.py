"""Knows the tokens with which chat templates begin and end a turn, of which servers leave some in the text."""

import re

# What the names of such tokens consist of, and those of one word.
_WORD = (
    r"(?:im|start|begin|end|of|text|header|id|role|turn|token|chatbot|assistant|model|bot|user|human|system|sentence"
    r"|message|prompt|response|eot|eom|eos|s)"
)
_ALONE = (
    r"(?:eot|eom|eos|bos|eod|pad|sep|end|stop|return|from|endoftext|endofturn|endofprompt|endofsentence|assistant|user"
    r"|human|system|bot|observation)"
)
_TOKEN = (
    rf"(?:<[|｜](?:{_ALONE}|{_WORD}(?:[_▁: -]{_WORD})+)[|｜]>|\[\|(?:{_ALONE}|{_WORD}(?:[_ ]{_WORD})+)\|\]"
    r"|</?(?:s|bos|eos|pad)>|</(?:assistant|model|bot|turn|message)>"
    r"|<\|?(?:reserved|extra_id|special)_?(?:special_)?(?:token_)?\d+\|?>|<(?:start|end)_of_(?:turn|text|message)>|<(?:bot|eot|turn)_end>|\[/?INST\])"
)
TOKEN = re.compile(_TOKEN, re.IGNORECASE)
_HEAD = re.compile(rf"\s*(?:{_TOKEN}\s*)+", re.IGNORECASE)
# Who speaks next, or the beginning of the word.
_NEXT = "|".join(one[:size] for one in ("user", "human", "system", "tool") for size in range(len(one), 0, -1))
_END = re.compile(rf"\s*(?:{_TOKEN}\s*)+(?:(?:{_NEXT})\s*)?\Z", re.IGNORECASE)
# Who speaks, behind the first token of a turn.
_ROLES = ("assistant", "model", "bot")
_ROLE = re.compile(rf"(?:{'|'.join(_ROLES)})(?=[\s<\[])\s*")
# To whom a model speaks, if not to a tool; and what is left of it without its tokens.
_TO_ALL = re.compile(r"<\|recipient\|>all\s*<\|content\|>|assistantfinal")
# A sentence goes on behind the token: it speaks of it.
_GOES_ON = re.compile(r" [a-z]")
# The beginning of a token at the end of a text.
_OPEN = re.compile(
    r"\s*(?:<(?:[|｜](?:[\w▁ -]{0,24}[|｜]?)?|/?[a-z_]{0,16})?|\[(?:\|(?:[\w ]{0,24}\|?)?|/?I?N?S?T?)?)\Z"
)


def head(text: str, *, is_all: bool = False) -> int | None:
    """How many characters of an answer's beginning are the head of its turn; `None` while that is not certain."""
    at = 0
    while (match := _HEAD.match(text, at) or _TO_ALL.match(text, at)) is not None:
        if _GOES_ON.match(text, match.end() - 1):
            break
        at = match.end()
        role = _ROLE.match(text, at)
        at = role.end() if role else at
        rest = text[at:]
        if not is_all and any(one.startswith(rest) for one in _ROLES):
            return None
    rest = text[at:].lstrip()
    is_open = not is_all and (_OPEN.fullmatch(rest) or (bool(rest) and "assistantfinal".startswith(rest)))
    return None if is_open and rest not in ("<", "[") else at


def tail(text: str) -> int:
    """How many characters at the end of a text are such tokens, or may become one."""
    begun = _OPEN.search(text)
    begin = begun.start() if begun and begun.group().strip() else len(text)
    end = _END.search(text[:begin])
    return len(text) - (end.start() if end else begin)


def without_end(text: str) -> str:
    """A text without the tokens that end its turn."""
    return _END.sub("", text)
