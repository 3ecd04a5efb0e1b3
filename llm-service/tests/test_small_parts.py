"""Settings, scrubbing, tool names, logs, generated code, the process itself."""

import filecmp
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import KEY
from llm_service import logs
from llm_service.definitions import UnknownProviderError, load
from llm_service.providers.tool_names import MAX_LENGTH, ToolNames, to_api
from llm_service.scrub import HIDDEN, scrub
from llm_service.settings import Settings, SettingsError
from llm_service.turn import Tool

ROOT = Path(__file__).parents[1]


def test_settings_have_defaults_and_an_empty_variable_is_unset() -> None:
    assert Settings.from_env({"LOG_LEVEL": "", "LLM_SERVICE_ADDR": " "}) == Settings()
    assert Settings().address == "127.0.0.1:50051"


def test_settings_are_read() -> None:
    env = {
        "LLM_SERVICE_ADDR": "http://0.0.0.0:6000",
        "LOG_LEVEL": "WARN",
        "LLM_SERVICE_GRACE_SECONDS": "2.5",
    }
    assert Settings.from_env(env) == Settings("0.0.0.0:6000", "warning", 2.5)


@pytest.mark.parametrize(
    "env",
    [
        {"LOG_LEVEL": "loud"},
        {"LLM_SERVICE_ADDR": "nowhere"},
        {"LLM_SERVICE_ADDR": "host:99999"},
        {"LLM_SERVICE_GRACE_SECONDS": "-1"},
        {"LLM_SERVICE_GRACE_SECONDS": "nan"},
        {"LLM_SERVICE_GRACE_SECONDS": "soon"},
    ],
)
def test_a_bad_setting_is_refused_with_what_to_write(env: dict[str, str]) -> None:
    with pytest.raises(SettingsError, match=f"{next(iter(env))} is .*: write "):
        Settings.from_env(env)


@pytest.mark.parametrize(
    "text",
    [
        f"bad key {KEY}",
        "Incorrect API key provided: sk-proj-abc_DEF-123456789",
        "x-api-key: abcdefghijk",
        "Authorization: Bearer abcdefgh.ijklmnop",
        "GET https://x/v1beta?key=AIzaSyA1234567890123456789012345&alt=sse",
        "token ya29.a0AfB_byC-1234567890",
        "postgres://user:hunter22@host/db",
        '{"api_key": "abcd1234efgh"}',
    ],
)
def test_keys_are_hidden(text: str) -> None:
    hidden = scrub(text, KEY)
    assert HIDDEN in hidden
    for secret in (KEY, "abc_DEF", "abcdefghijk", "ijklmnop", "AIzaSy", "AfB_byC", "hunter22", "1234efgh"):
        assert secret not in hidden


def test_plain_messages_stay() -> None:
    text = "model gpt-4o is not available in region eu-west-1 (request req_123)"
    assert scrub(text) == text


def test_tool_names_find_their_way_back() -> None:
    tools = tuple(Tool(name) for name in ("host.disk_usage", "a.b.c", "x.with__two", f"server.{'n' * 80}"))
    names = ToolNames(tools)
    encoded = [to_api(tool.name) for tool in tools]
    assert len(set(encoded)) == len(tools)
    assert all(len(name) <= MAX_LENGTH for name in encoded)
    assert [names.from_api(name) for name in encoded] == [tool.name for tool in tools]
    assert names.from_api("never__offered__x") == "never.offered__x"


def test_logs_are_json_without_keys(capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure("info")
    logs.logger().info("a call failed", detail=f"x-api-key: {KEY}")
    line = json.loads(capsys.readouterr().err)
    assert line["event"] == "a call failed"
    assert KEY not in line["detail"]


def test_the_generated_code_is_current(tmp_path: Path) -> None:
    subprocess.run(
        [ROOT / "scripts" / "gen.sh", tmp_path],
        check=True,
        capture_output=True,
        env={**os.environ, "PYTHON": sys.executable},
    )
    committed = ROOT / "src" / "llm_service" / "gen"
    names = [str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.py*") if "__pycache__" not in path.parts]
    assert len(names) == 7
    assert filecmp.cmpfiles(committed, tmp_path, names, shallow=False) == (names, [], [])


def test_the_process_reports_that_it_listens_and_ends_in_order() -> None:
    env = {**os.environ, "LLM_SERVICE_ADDR": "127.0.0.1:0", "PYTHONPATH": str(ROOT / "src")}
    command = [sys.executable, "-m", "llm_service.main"]
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("llm-service listening on 127.0.0.1:")
        assert not line.endswith(":0\n")
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 0
    assert [json.loads(one)["event"] for one in errors.splitlines()] == ["stopping", "stopped"]


def test_the_process_explains_why_it_cannot_start() -> None:
    env = {**os.environ, "LOG_LEVEL": "loud", "PYTHONPATH": str(ROOT / "src")}
    command = [sys.executable, "-m", "llm_service.main"]
    ended = subprocess.run(command, env=env, capture_output=True, text=True, check=False, timeout=60)
    assert ended.returncode == 2
    assert "write one of debug, info, warning, error" in ended.stderr


def test_no_sdk_is_imported_at_the_start() -> None:
    code = (
        "import sys, llm_service.main;"
        "print([m for m in sys.modules if m.split('.')[0] in ('openai', 'anthropic', 'langchain_core', 'pydantic')"
        " or m.startswith('google.genai')])"
    )
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    ended = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert ended.stdout.strip() == "[]"


def test_the_process_is_closed_to_other_programs_of_its_user() -> None:
    asked = "import ctypes; from llm_service.protect import protect; protect(); print(ctypes.CDLL(None).prctl(3))"
    done = subprocess.run(
        [sys.executable, "-c", asked], check=False, env={"PYTHONPATH": str(ROOT / "src")}, capture_output=True
    )
    assert done.stdout.split() == [b"0"], done.stderr
    assert Settings.from_env({"TARSY_DEBUGGABLE": "true"}).debuggable


def test_the_offline_analyst_is_no_provider_of_this_service() -> None:
    found = load("")
    assert "offline" not in [one.name for one in found.all()]
    with pytest.raises(UnknownProviderError, match="answers in the services themselves"):
        found.find("offline")
