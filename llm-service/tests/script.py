"""What aimock's models say: the last message of the user picks the answer."""

from typing import Any

THOUGHT = "First the disk of web-1, then its memory; both belong together."
TEXT = "The disk of web-1 is 97 % full since 02:10, and nothing was deployed: the spool grew."
CALLS = (("host__disk_usage", {"path": "/"}), ("host__memory_usage", {"unit": "MiB"}))
LOOKING = "I look at both."
VERDICT = "Both are full."
USAGE = {"input_tokens": 40, "output_tokens": 11}
ENDLESS = "one two three four five six seven " * 4000


def _fixture(user_message: str, response: dict[str, Any], **more: Any) -> dict[str, Any]:
    match = {"userMessage": user_message, **more.pop("match", {})}
    return {"match": match, "response": response, "chunkSize": 12, **more}


_LOOKING = {
    "content": LOOKING,
    "reasoning": THOUGHT,
    "reasoningSignature": "c2lnbmVk",
    "toolCalls": [
        {"id": f"call_{n}", "name": name, "arguments": arguments} for n, (name, arguments) in enumerate(CALLS, 1)
    ],
}
# Gemini ends a turn with calls as any other; aimock believes otherwise.
_GEMINI = ("gemini-2.5-flash", "gemini-2.5-pro", "gemini-3-pro")

FIXTURES = {
    "fixtures": [
        _fixture("speak", {"content": TEXT, "reasoning": THOUGHT, "usage": USAGE}),
        _fixture("look", {"content": VERDICT}, match={"hasToolResult": True}),
        *(_fixture("look", {**_LOOKING, "finishReason": "stop"}, match={"model": model}) for model in _GEMINI),
        _fixture("look", _LOOKING),
        _fixture("slowly", {"content": TEXT}, latency=250),
        _fixture("endlessly", {"content": ENDLESS}, latency=10),
        # Gemini's protocol needs fewer events than the others.
        *(
            _fixture("break off", {"content": TEXT}, latency=30, truncateAfterChunks=5, match={"model": model})
            for model in _GEMINI
        ),
        _fixture("break off", {"content": TEXT}, latency=30, truncateAfterChunks=9),
    ]
}
