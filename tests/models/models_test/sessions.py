"""Runs one session, and reads everything about it."""

import json
import subprocess
import time
from collections import Counter
from pathlib import Path
from typing import Any

from models_test.facts import Observed, call_key
from models_test.plan import HOST, STRATEGIES, alert_type, chain_of
from models_test.product import Tarsy

POLL_SECONDS = 0.5
BEGIN_SECONDS = 60


def run(tarsy: Tarsy, case: Path, strategy: str, rules: str, folder: Path) -> Observed:
    """Investigates a case, or the example alert `host` on this machine, and waits for the end."""
    folder.mkdir(parents=True, exist_ok=True)
    if case.name == HOST:
        session = tarsy.submit(alert_type(strategy, rules))
        tarsy.watch(session, folder / "events.jsonl")
        return observe(tarsy, session, folder)
    chain = folder / "chain.json"
    chain.write_text(json.dumps(chain_of(case, STRATEGIES[strategy], rules)))
    before = tarsy.newest("replay")
    command = tarsy.command("eval", str(case), "--provider", STRATEGIES[strategy].provider, "--chain", str(chain))
    with (
        (folder / "eval.json").open("wb") as out,
        (folder / "eval.log").open("wb") as log,
        subprocess.Popen(command, stdout=out, stderr=log) as evaluation,
    ):
        session = begun(tarsy, before, evaluation, folder / "eval.log")
        tarsy.watch(session, folder / "events.jsonl")
    observed = observe(tarsy, session, folder)
    observed.score = json.loads((folder / "eval.json").read_text())["runs"][0]["score"]
    observed.recorded = Counter(call_key(json.loads(line)) for line in (case / "calls.jsonl").read_text().splitlines())
    return observed


def begun(tarsy: Tarsy, before: str | None, evaluation: "subprocess.Popen[bytes]", log: Path) -> str:
    """The id of the session that `tarsy eval` has started."""
    deadline = time.monotonic() + BEGIN_SECONDS
    while (session := tarsy.newest("replay")) in {None, before}:
        if evaluation.poll() is not None or time.monotonic() > deadline:
            evaluation.kill()
            raise RuntimeError(f"`tarsy eval` has started no session: {log.read_text()}")
        time.sleep(POLL_SECONDS)
    return str(session)


def observe(tarsy: Tarsy, session: str, folder: Path) -> Observed:
    """What TARSy recorded of a session; its documents are kept beside its events."""
    documents: dict[str, Any] = {
        "session": tarsy.get(f"sessions/{session}"),
        "trace": tarsy.get(f"sessions/{session}/trace"),
        "recording": tarsy.get(f"sessions/{session}/recording"),
    }
    for name, document in documents.items():
        (folder / f"{name}.json").write_text(json.dumps(document, indent=1))
    events = [json.loads(line) for line in (folder / "events.jsonl").read_text().splitlines()]
    return Observed(**documents, events=events)
