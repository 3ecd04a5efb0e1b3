"""llama.cpp's server as a process of its own: `python -m models_test.llama FILE PORT NAME TEMPLATE`.

Its key is in the variable `MODELS_TEST_KEY`. It ends when its standard input does, and so with its starter.
"""

import mmap
import os
import struct
import sys
from pathlib import Path

KEY = "MODELS_TEST_KEY"
CONTEXT = 16_384
THREADS = 2
# What a server keeps of other prompts than its last one, in MiB.
PROMPT_CACHE = 512
STRING = 8


def own_template(path: Path) -> str:
    """The chat template in the metadata of a GGUF file: after its key a type, a length and the text."""
    name = b"tokenizer.chat_template"
    entry = struct.pack("<Q", len(name)) + name + struct.pack("<I", STRING)
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        found = data.find(entry)
        if found < 0:
            raise ValueError(f"{path} has no chat template")
        start = found + len(entry)
        (length,) = struct.unpack("<Q", data[start : start + 8])
        return data[start + 8 : start + 8 + length].decode()


def fenced(template: str) -> str:
    """The template with calls as this model writes them, in a block of JSON, so that the server recognizes them."""
    template = template.replace("within <tool_call></tool_call> XML tags", "within a ```json fenced block")
    return template.replace("<tool_call>", "```json").replace("</tool_call>", "```")


def main(path: str, port: str, name: str, template: str) -> None:
    """Serves until the standard input ends."""
    import xllamacpp  # noqa: PLC0415 - only the server's process has it

    settings = xllamacpp.CommonParams()
    settings.model.path = path
    settings.model_alias = {name}
    settings.hostnames = ["127.0.0.1"]
    settings.port = int(port)
    settings.api_keys = [os.environ[KEY]]
    settings.n_ctx = CONTEXT
    settings.n_parallel = 1
    settings.cache_ram_mib = PROMPT_CACHE
    settings.cpuparams.n_threads = THREADS
    settings.cpuparams_batch.n_threads = THREADS
    settings.use_jinja = True
    if template == "fenced":
        settings.chat_template = fenced(own_template(Path(path)))
    server = xllamacpp.Server(settings)
    print(f"listening on {server.listening_address}", flush=True)
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
