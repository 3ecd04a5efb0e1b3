"""Records sessions of a program of before 0.1.0: a backup, and what it answers about them."""

import json
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

HERE = Path(__file__).parent
PORT = "18099"
URL = f"http://127.0.0.1:{PORT}"
OF_SESSION = ("", "/summary", "/timeline", "/trace", "/claims", "/recording")


def get(path: str) -> object:
    with urllib.request.urlopen(URL + path, timeout=30) as answer:
        return json.load(answer)


def wait_until_ready(process: subprocess.Popen[bytes]) -> None:
    while process.poll() is None:
        try:
            get("/api/v1/system/info")
        except OSError:
            time.sleep(0.2)
        else:
            return
    sys.exit("tarsy ended")


def main() -> None:
    program = str(Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as home:
        command = [program, "--home", home]
        process = subprocess.Popen([*command, "up", "--port", PORT])
        try:
            wait_until_ready(process)
            subprocess.run([*command, "demo"], check=True)
            sessions = [session["id"] for session in get("/api/v1/sessions")["sessions"]]
            paths = [f"/api/v1/sessions/{session}{part}" for session in sorted(sessions) for part in OF_SESSION]
            answers = {path: get(path) for path in paths}
            (HERE / "answers.json").write_text(json.dumps(answers, indent=1, ensure_ascii=False) + "\n")
            subprocess.run([*command, "backup", str(HERE / "backup.tar.gz")], check=True)
        finally:
            process.terminate()
            process.wait()


if __name__ == "__main__":
    main()
