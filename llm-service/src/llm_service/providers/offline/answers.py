"""The short answers: executive summary, summary of a tool's output, a chat question."""

import re

from llm_service.providers.offline import evidence, facts, report, signals
from llm_service.providers.offline.evidence import Item, Result
from llm_service.providers.offline.facts import Facts
from llm_service.providers.offline.words import TOPICS, parts, telling, topics
from llm_service.turn import CHARS_PER_TOKEN

SHORT_LABEL = "Written by rules; no LLM was used."
_DEFAULT_TOKENS = 1000
_LOUD = re.compile(
    r"root cause|caused by|because|due to|conclu|recommend|fail|error|crash|exhaust|full|oom|timeout|impact|restart",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z`\"'(*\[])")
_SIGNAL_HEAD = re.compile(r"^\d+\.\s+\*\*(.+?)\*\*")
_OWN_WORDS = re.compile(
    r"^(?:#{1,6}\s|\*\*Summary:\*\*|_?This report was produced by rules|- \[call \d+\]|- No (?:deploy|tool)|- None:"
    r"|Readings near the alert|\d+ weaker signals)|was not called: neither|gave no usable answer|^(?:First look|Looking further): "
)


def executive_summary(analysis: str) -> str:
    """Two to four plain sentences drawn from an analysis."""
    own = re.search(r"\*\*Summary:\*\*\s*(.+)", analysis)
    chosen = [plain(own.group(1))] if own else _key_sentences(analysis)
    if own and (change := _first_change(analysis)):
        chosen.append(change)
    if not chosen:
        chosen = ["The analysis holds no statement that could be summarised."]
    return " ".join([*chosen[:3], SHORT_LABEL])


def tool_summary(request: str, limit_tokens: int) -> str:
    """The telling lines of a tool's output, in its own words, within the limit."""
    output = _largest_block(request)
    one = evidence.result(0, "", "", output)
    about = signals.focus(request[: max(0, request.find(output[:200]))], ())
    found = signals.find([one], [], about)
    changed = signals.changes([one], [], 5)
    room = (limit_tokens or _DEFAULT_TOKENS) * CHARS_PER_TOKEN - 200
    unit = "values" if one.document is not None else "lines"
    lines = [f"{len(one.items)} {unit} read. {SHORT_LABEL}"]
    lines += ["", "Telling:"] if found else ["", "No line or value met a rule. The first ones:"]
    for signal in found[:20]:
        seen = f" ({signal.count} times)" if signal.count > 1 else ""
        lines += [f"- {report.quoted(item)}{seen}" for item in signal.items[:1]]
    if not found:
        lines += [f"- {report.quoted(item)}" for item in one.items[:12]]
    if changed:
        lines += ["", "Changes:", *(f"- {report.quoted(item)}" for item in changed)]
    kept: list[str] = []
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            break
        kept.append(line)
    return "\n".join(kept) + "\n"


def chat(
    question: str, results: list[Result], context: list[Item], found: list[signals.Signal]
) -> str:
    """The evidence that speaks of the question, or that there is none."""
    words = set(telling(question))
    wide = words | {w for topic in topics(words) for w in TOPICS[topic]}
    loud = {id(item) for signal in found for item in signal.items}
    scored: list[tuple[float, int, Item]] = []
    everything = [*(item for one in results for item in one.items), *context]
    for order, item in enumerate(everything):
        label = item.row.label[1] if item.row and item.row.label else ""
        present = set(parts(f"{item.path} {item.text[:1000]} {label}"))
        direct, near = len(words & present), len(wide & present)
        score = 2.0 * direct + 0.4 * min(near, 4) + (1.5 if id(item) in loud and near else 0.0)
        if direct or (near and id(item) in loud) or near >= 2:
            scored.append((-score, order, item))
    best = _distinct([item for _, _, item in sorted(scored, key=lambda entry: entry[:2])], 6)
    if not best:
        asked = f" ({len(results)} tool results and the text given)" if results else ""
        return f"I have no evidence about that in what was collected{asked}. {SHORT_LABEL}\n"
    lines = [f"What the evidence says, closest first. {SHORT_LABEL}", ""]
    lines += [f"- {report.quoted(item)} {report.cite([item.source])}" for item in best]
    return "\n".join(lines) + "\n"


def plain_lines(text: str) -> str:
    """A text as evidence: without headings and the analyst's own phrases, so that no report feeds on itself."""
    kept: list[str] = []
    for line in text.splitlines():
        bare = line.strip()
        if _OWN_WORDS.search(bare) or _SIGNAL_HEAD.match(bare):
            continue
        kept.append(re.sub(r"^[-*]\s+", "", bare))
    return "\n".join(kept)


def plain(text: str) -> str:
    """Text without markdown."""
    text = re.sub(r"```.*?```", " ", text, flags=re.DOTALL)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"\s*\[(?:call \d+(?:, )?)+\]", "", text)
    return re.sub(r"\s+", " ", re.sub(r"[*_#>`]{1,3}(?=\S)|(?<=\S)[*`]{1,3}", "", text)).strip()


def facts_of(results: list[Result], alert: Facts, about: signals.Focus) -> Facts:
    """Names that earlier results hold, those near the alert first. Addresses are never taken from results."""
    known = Facts()
    rows: list[tuple[float, str, str]] = []
    for one in results:
        for item in one.items:
            weight = -about.weight(item, "")
            if item.row is not None and item.value is not None:
                rows.append((weight, item.key, item.text))
            else:
                rows += [(weight, "pod", pod) for pod in facts.pods(item.text)]
            rows += [(weight, "path", path) for path in facts.log_paths(item.text)]
    rows.sort(key=lambda entry: entry[0])
    for _, key, value in rows[:400]:
        if facts.kind_of(key, "") not in ("url", "dns", None):
            facts.add_keyed(known, key, value)
    for path in [p for p in known.of("path") if not facts.log_paths(p)]:
        known.drop("path", path)
    return known


def _key_sentences(analysis: str) -> list[str]:
    sentences = [s for line in analysis.splitlines() for s in _SENTENCE.split(plain(line)) if len(s) > 25]
    sentences = [s if s.endswith((".", "!", "?")) else f"{s}." for s in sentences]
    ranked = sorted(
        range(len(sentences)), key=lambda i: (-len(_LOUD.findall(sentences[i])) - (i == 0), i)
    )
    return [sentences[i][:400] for i in sorted(ranked[:3])]


def _first_change(analysis: str) -> str:
    match = re.search(r"### What changed\n- (`.+)", analysis)
    return f"Among what changed: {plain(match.group(1))}." if match else ""


def _largest_block(request: str) -> str:
    """The tool's output inside the request: the largest fenced or tagged block, else all of it."""
    blocks = re.findall(r"^(`{3,})[^\n]*\n(.*?)^\1", request, re.DOTALL | re.MULTILINE)
    bodies = [body for _, body in blocks]
    for name in ("tool_output", "tool_result", "output", "result", "data"):
        start, end = request.find(f"<{name}"), request.rfind(f"</{name}>")
        if 0 <= start < end:
            bodies.append(request[request.find(">", start) + 1 : end])
    largest = max(bodies, key=len, default="")
    return largest if len(largest) > len(request) // 3 else request


def _distinct(items: list[Item], most: int) -> list[Item]:
    kept: dict[str, Item] = {}
    for item in items:
        kept.setdefault(f"{item.key}|{item.text}", item)
        if len(kept) == most:
            break
    return list(kept.values())
