"""TARSy on a folder of its own: its configuration, its process, its API and its command line."""

import json
import os
import signal
import subprocess
import time
import urllib.request
from pathlib import Path
from typing import Any

from models_test.llama import CONTEXT, KEY
from models_test.plan import RULES, STRATEGIES, alert_type
from models_test.weights import MissingError

START_SECONDS = 180
STOP_SECONDS = 30
SESSION = "2h"
# As `tarsy models --write` writes them, with more time for a machine that others use as well.
TIMEOUTS = {"first_token": "30m", "stall": "5m", "answer": "45m"}


def write_configuration(folder: Path, model: str, port: int) -> None:
    """Two providers for the same server, and a chain for each strategy with and without `rules_first`."""
    base = f"http://127.0.0.1:{port}"
    common = {"model": model, "api_key_env": KEY, "context_window_tokens": CONTEXT, "llm_timeouts": TIMEOUTS}
    providers = {
        "chat": {"type": "openai", "base_url": f"{base}/v1", **common},
        "messages": {"type": "anthropic", "base_url": base, **common},
    }
    chains = {
        alert_type(name, rules): {
            "alert_types": [alert_type(name, rules)],
            "llm_provider": strategy.provider,
            "iteration_strategy": strategy.iteration,
            "rules_first": rules == "on",
            "stages": [{"name": "investigation", "agents": [{"name": "HostAgent"}]}],
        }
        for name, strategy in STRATEGIES.items()
        for rules in RULES
    }
    tarsy = {
        "queue": {"session_timeout": SESSION},
        "defaults": {"llm_provider": "chat"},
        "agent_chains": chains,
    }
    folder.mkdir(parents=True, exist_ok=True)
    # JSON is YAML.
    (folder / "llm-providers.yaml").write_text(json.dumps({"llm_providers": providers}, indent=1))
    (folder / "tarsy.yaml").write_text(json.dumps(tarsy, indent=1))


class Tarsy:
    """A running all-in-one."""

    def __init__(self, program: Path, home: Path, key: str) -> None:
        if not program.is_file():
            raise MissingError(f"{program} is missing: `cargo build --workspace --bins` makes it, or TARSY names one")
        self.program, self.home = program, home
        environment = {**os.environ, "TARSY_CONFIG_DIR": str(home / "config"), KEY: key}
        self._log = home / "tarsy.log"
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [str(program), "--home", str(home), "up", "--port", "0"], stdout=log, stderr=log, env=environment
            )
        self.url = self._address()

    def _address(self) -> str:
        deadline, described = time.monotonic() + START_SECONDS, self.home / "run.json"
        while not described.is_file():
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                raise MissingError(f"TARSy did not start:\n{self._log.read_text()[-3000:]}")
            time.sleep(0.5)
        return str(json.loads(described.read_text())["url"])

    def stop(self) -> None:
        """Ends it, with everything that it started."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
            try:
                self._process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()

    def get(self, path: str) -> Any:
        """A document of the API."""
        with urllib.request.urlopen(f"{self.url}/api/v1/{path}", timeout=60) as answer:
            return json.load(answer)

    def command(self, *arguments: str) -> list[str]:
        """A command line for this TARSy, with JSON as its output."""
        return [str(self.program), "--home", str(self.home), "--json", *arguments]

    def submit(self, kind: str) -> str:
        """Submits the example alert `host` with a type of ours; the id of its session."""
        command = self.command("submit", "--example", "host", "--type", kind)
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        return str(json.loads(done.stdout)["session_id"])

    def newest(self, origin: str) -> str | None:
        """The id of the newest session of an origin."""
        sessions = self.get("sessions?page_size=20&sort_by=created_at&sort_order=desc")["sessions"]
        return next((str(one["id"]) for one in sessions if one["origin"] == origin), None)

    def watch(self, session: str, file: Path) -> None:
        """Writes every event of a session into a file, until it ends."""
        with file.open("wb") as events:
            subprocess.run(self.command("watch", session, "--verbose"), check=False, stdout=events)
