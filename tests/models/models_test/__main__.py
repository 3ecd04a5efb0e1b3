"""Runs the chosen part, asserts the facts, prints the table: `python -m models_test --help`."""

import argparse
import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from itertools import chain, product
from pathlib import Path

from models_test import plan, sessions, table
from models_test.facts import violations
from models_test.llama import KEY
from models_test.product import Tarsy, write_configuration
from models_test.recorder import Recorder
from models_test.weights import HERE, MODELS, MissingError, find

CHECKOUT = HERE.parent.parent
LOAD_SECONDS = 180


def arguments() -> argparse.Namespace:
    """The choices; the Makefile passes its variables on."""
    parser = argparse.ArgumentParser(prog="models_test", description=__doc__)
    parser.add_argument("--model", default="", help="0.5b, 1.5b; both if empty")
    parser.add_argument("--strategy", default="", help="native, react, messages; all if empty")
    parser.add_argument("--cases", default="", help="host and folders of tests/cases; six if empty")
    parser.add_argument("--rules", default="", help="off, on; both if empty")
    parser.add_argument("--weights", default="", help="a GGUF file, or a folder with 0.5b.gguf and 1.5b.gguf")
    parser.add_argument("--template", default="fenced", choices=["fenced", "own"], help="the chat template")
    parser.add_argument("--tarsy", default=str(CHECKOUT / "target/debug/tarsy"), help="the program")
    parser.add_argument("--record", default="", help="a folder for requests and raw streams")
    parser.add_argument("--out", default=str(CHECKOUT / ".tarsy/models"), help="where weights and results are kept")
    parser.add_argument("--table", action="store_true", help="only prints the latest run of each session")
    return parser.parse_args()


@contextmanager
def served(weights: Path, name: str, template: str, log: Path, key: str) -> Iterator[int]:
    """A llama.cpp server; its port."""
    command = [sys.executable, "-m", "models_test.llama", str(weights), "0", name, template]
    environment = {**os.environ, KEY: key, "OMP_WAIT_POLICY": "passive", "PYTHONPATH": str(HERE)}
    with log.open("wb") as written:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=written, stderr=written, env=environment)
    try:
        yield listening(process, log)
    finally:
        process.terminate()
        process.wait()


def listening(process: "subprocess.Popen[bytes]", log: Path) -> int:
    """Waits until the model is loaded; the port."""
    deadline = time.monotonic() + LOAD_SECONDS
    while True:
        for line in log.read_text(errors="replace").splitlines():
            if line.startswith("listening on "):
                return int(line.rsplit(":", 1)[1])
        if process.poll() is not None or time.monotonic() > deadline:
            raise MissingError(
                f"llama.cpp's server did not start; {log} ends:\n{log.read_text(errors='replace')[-2000:]}"
            )
        time.sleep(0.3)


def run_model(model: str, chosen: argparse.Namespace, out: Path) -> Iterator[table.Run]:
    """Every session of a model, one at a time."""
    weights, key = find(MODELS[model], out, chosen.weights), secrets.token_hex(16)
    print(f"{MODELS[model].title}: {weights}", flush=True)
    home = Path(tempfile.mkdtemp(prefix="models-test-"))
    try:
        with served(weights, model, chosen.template, out / f"llama-{model}.log", key) as port:
            recorder = Recorder(port, Path(chosen.record), model) if chosen.record else None
            write_configuration(home / "config", model, recorder.port if recorder else port)
            tarsy = Tarsy(Path(chosen.tarsy), home, key)
            try:
                yield from run_sessions(tarsy, model, chosen, out)
            finally:
                tarsy.stop()
                shutil.copyfile(home / "tarsy.log", out / f"tarsy-{model}.log")
                if recorder:
                    recorder.stop()
    finally:
        shutil.rmtree(home, ignore_errors=True)


def run_sessions(tarsy: Tarsy, model: str, chosen: argparse.Namespace, out: Path) -> Iterator[table.Run]:
    """The sessions of a model that were chosen; those with the same beginning of a prompt, which its server keeps, together."""
    for strategy, rules, case in product(chosen.strategy, chosen.rules, chosen.cases):
        label = f"{model} {strategy} rules_first {rules} {case}"
        print(f"{time.strftime('%H:%M:%S')} {label} …", flush=True)
        began = time.monotonic()
        folder = out / "sessions" / label.replace(" ", "-")
        shutil.rmtree(folder, ignore_errors=True)
        seen = sessions.run(tarsy, CHECKOUT / "tests/cases" / case, strategy, rules, folder)
        run = table.Run(model, strategy, rules, case, seen.session["id"], **table.figures(seen))
        run.violations = violations(seen)
        for sentence in run.violations or ["all facts hold"]:
            print(f"         {sentence}", flush=True)
        print(f"         {seen.session['status']} after {time.monotonic() - began:.0f} s", flush=True)
        yield run


def latest(file: Path) -> list[table.Run]:
    """The latest run of each session that is on record."""
    lines = file.read_text().splitlines() if file.is_file() else []
    runs = [table.Run(**json.loads(line)) for line in lines]
    return list({(run.model, run.strategy, run.rules, run.case): run for run in runs}.values())


def main() -> int:
    """0 if every fact of every session holds."""
    chosen = arguments()
    out = Path(chosen.out)
    out.mkdir(parents=True, exist_ok=True)
    record, runs = out / "runs.jsonl", []
    if chosen.table:
        print(table.markdown(latest(record)))
        return 0
    cases = tuple(path.parent.name for path in sorted((CHECKOUT / "tests/cases").glob("*/chain.json")))
    chosen.strategy = plan.chosen(chosen.strategy, tuple(plan.STRATEGIES), "STRATEGY")
    chosen.rules = plan.chosen(chosen.rules, plan.RULES, "RULES")
    chosen.cases = plan.chosen(chosen.cases, (plan.HOST, *cases), "CASES") if chosen.cases else list(plan.CASES)
    models = plan.chosen(chosen.model, tuple(MODELS), "MODEL")
    try:
        for run in chain.from_iterable(run_model(model, chosen, out) for model in models):
            runs.append(run)
            with record.open("a") as file:
                file.write(json.dumps(asdict(run)) + "\n")
    except KeyboardInterrupt:
        print("interrupted: the sessions that were not run are missing below")
        return 130
    finally:
        if runs:
            conclude(runs)
    return 1 if any(run.violations for run in runs) else 0


def conclude(runs: list[table.Run]) -> None:
    """Prints the table, and the facts that do not hold."""
    print(f"\n{table.markdown(runs)}\n")
    failed = [run for run in runs if run.violations]
    for run in failed:
        print(f"{run.model} {run.strategy} rules_first {run.rules} {run.case}: {'; '.join(run.violations)}")
    print(f"{len(runs) - len(failed)} of {len(runs)} sessions hold every fact", flush=True)


if __name__ == "__main__":
    # However it is stopped, what it started is stopped, too.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.default_int_handler)
    try:
        sys.exit(main())
    except (MissingError, ValueError) as error:
        sys.exit(f"models_test: {error}")
