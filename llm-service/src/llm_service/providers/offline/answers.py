"""The short answers: executive summary, summary of a tool's output, a chat question."""

import re

from llm_service.providers.offline import evidence, facts, report, signals
from llm_service.providers.offline.evidence import Item, Result
from llm_service.providers.offline.facts import Facts
from llm_service.providers.offline.words import TOPICS, parts, significant_words, topics
from llm_service.turn import CHARS_PER_TOKEN

_FILLABLE = frozenset({"namespace", "pod", "service", "host", "container", "deployment", "path", "device", "queue"})
SHORT_LABEL = "Written by rules; no LLM was used."
_DEFAULT_TOKENS = 1000
_LOUD = re.compile(
    r"root cause|caused by|because|due to|conclu|recommend|fail|error|crash|exhaust|full|oom|timeout|impact|restart",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z`\"'(*\[])")
_MARKS = re.compile(r"\*{2,3}|`+|^#{1,6}\s+|^>\s?|^[-*]\s+|(?<!\w)[_*](?=\w)|(?<=[\w.!?])[_*](?!\w)", re.MULTILINE)
_WRAPPING = re.compile(r"executive summary|\byou are\b|summari[sz]|\bsentences\b|^write\b", re.IGNORECASE)


def executive_summary(request: str) -> str:
    """Two to four plain sentences drawn from the analysis in the request."""
    own = re.findall(r"\*\*Summary:\*\*\s*(.+)", request)
    if own:
        titles = re.findall(r"^#+ Findings: (.+)$", request, re.MULTILINE)
        chosen = [f"{titles[-1]}: {plain(own[-1])}" if titles else plain(own[-1])]
        if change := _first_change(request):
            chosen.append(change)
    else:
        chosen = _key_sentences(request)
    if not chosen:
        chosen = ["The analysis holds no statement that could be summarised."]
    return " ".join([*chosen[:3], SHORT_LABEL])


def tool_summary(request: str, limit_tokens: int) -> str:
    """Returns the significant lines of a tool's output verbatim, within the limit."""
    output = _largest_block(request)
    one = evidence.result(0, "", "", output)
    before = request[: max(0, request.find(output[:200]))]
    about = signals.focus(before, "", ())
    found = signals.find([one], [], about)
    changed = signals.changes([one], [], 5)
    remaining = (limit_tokens or _DEFAULT_TOKENS) * CHARS_PER_TOKEN - 200
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
        remaining -= len(line) + 1
        if remaining < 0:
            break
        kept.append(line)
    return "\n".join(kept) + "\n"


def chat(question: str, results: list[Result], context: list[Item], found: list[signals.Signal]) -> str:
    """Returns the evidence that concerns the question, or that there is none."""
    words = set(significant_words(question))
    wide = words | {w for topic in topics(words) for w in TOPICS[topic]}
    loud = {id(item) for signal in found for item in signal.items}
    scored: list[tuple[float, int, Item]] = []
    everything = [*(item for one in results for item in one.items), *context]
    for order, item in enumerate(everything):
        label = item.row.label[1] if item.row and item.row.label else ""
        present = set(parts(f"{item.path} {item.text[:1000]} {label}"))
        direct, near = len(words & present), len(wide & present)
        score = 2.0 * direct + 0.4 * min(near, 4) + (1.5 if id(item) in loud and near else 0.0)
        score -= 0.0 if item.source else 1.0
        if direct or (near and id(item) in loud) or near >= 2:
            scored.append((-score, order, item))
    best = _distinct([item for _, _, item in sorted(scored, key=lambda entry: entry[:2])], 6)
    if not best:
        asked = f" ({len(results)} tool results and the text given)" if results else ""
        return f"I have no evidence about that in what was collected{asked}. {SHORT_LABEL}\n"
    lines = [f"What the evidence says, closest first. {SHORT_LABEL}", ""]
    lines += [f"- {report.quoted(item)} {report.cite([item.source])}" for item in best]
    return "\n".join(lines) + "\n"


def plain(text: str) -> str:
    """Text without markdown."""
    text = re.sub(r"```.*?```", " ", text, flags=re.DOTALL)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"\s*\[(?:call \d+|given)\]", "", text)
    return re.sub(r"\s+", " ", _MARKS.sub("", text)).strip()


def facts_of(results: list[Result], about: signals.Focus) -> Facts:
    """Names in earlier results, those near the alert first. Addresses are never taken from results."""
    known = Facts()
    rows: list[tuple[float, str, str]] = []
    for item in (item for one in results if not one.failed for item in one.items):
        named: list[tuple[str, str]] = []
        if item.row is not None and item.value is not None:
            named = [(item.key, item.text)] if facts.kind_of(item.key, "") in _FILLABLE else []
        else:
            named = [("pod", pod) for pod in facts.pods(item.text[:4000])]
        named += [("path", path) for path in facts.log_paths(item.text)]
        if named:
            weight = -about.weight(item, "") - (3.0 if signals.alarming(item) else 0.0)
            rows += [(weight, key, value) for key, value in named]
    rows.sort(key=lambda entry: entry[0])
    for _, key, value in rows[:400]:
        facts.add_keyed(known, key, value)
    related = {pod for pod in known.of("pod") if any(name in pod for name in about.entities)}
    for pod in known.of("pod") if related else ():
        if pod not in related:
            known.drop("pod", pod)
    for path in [p for p in known.of("path") if not facts.log_paths(p)]:
        known.drop("path", path)
    return known


def _key_sentences(analysis: str) -> list[str]:
    sentences = [s for line in analysis.splitlines() for s in _SENTENCE.split(plain(line)) if len(s) > 25]
    sentences = [s for s in sentences if not _WRAPPING.search(s)]
    sentences = [s if s.endswith((".", "!", "?")) else f"{s}." for s in sentences]
    ranked = sorted(range(len(sentences)), key=lambda i: (-len(_LOUD.findall(sentences[i])) - (i == 0), i))
    return [sentences[i][:400] for i in sorted(ranked[:3])]


def _first_change(analysis: str) -> str:
    match = re.search(r"### What changed\n- (`.+)", analysis)
    return f"Among what changed: {plain(match.group(1))}." if match else ""


def _largest_block(request: str) -> str:
    """The tool's output inside the request: the largest fenced or tagged block, else all of it."""
    bodies = _fenced(request)
    for name in ("tool_output", "tool_result", "output", "result", "data"):
        start, end = request.find(f"<{name}"), request.rfind(f"</{name}>")
        if 0 <= start < end:
            bodies.append(request[request.find(">", start) + 1 : end])
    largest = max(bodies, key=len, default="")
    return largest if len(largest) > len(request) // 3 else request


def _fenced(text: str) -> list[str]:
    """The bodies of fenced blocks."""
    bodies: list[str] = []
    fence, lines = "", list[str]()
    for line in text.splitlines():
        bare = line.strip()
        if not fence and bare.startswith("```"):
            fence, lines = "`" * (len(bare) - len(bare.lstrip("`"))), []
        elif fence and bare == fence:
            bodies.append("\n".join(lines))
            fence = ""
        elif fence:
            lines.append(line)
    return bodies


def _distinct(items: list[Item], most: int) -> list[Item]:
    kept: dict[str, Item] = {}
    for item in items:
        kept.setdefault(f"{item.key}|{item.text}", item)
        if len(kept) == most:
            break
    return list(kept.values())
