"""Faults of files and file systems beside healthy services."""

import subprocess
from pathlib import Path

from faults.scene import DATA, Case, Scene, environment, healthy, program, run, wait_for


def deleted_file_held_open(scene: Scene) -> None:
    healthy(scene)
    folder = DATA / "uploads"
    scene.mount(folder, "size=24m")
    holder = scene.service("thumbnailer", str(folder / "preview.cache"))
    wait_for("thumbnailer", "20 MiB")
    (folder / "preview.cache").unlink()
    scene.service("uploads", str(folder))
    wait_for("uploads", "could not store")
    look = f"df -h {folder}; du -sh {folder}; ls -l /proc/{holder.pid}/fd | grep {folder}; cat /proc/{holder.pid}/comm"
    run("disk-report", ["sh", "-xc", look])


def disk_full_of_logs(scene: Scene) -> None:
    healthy(scene)
    image, folder = Path("/opt/cases/shop.img"), Path("/var/log/shop")
    folder.mkdir(exist_ok=True)
    subprocess.run(["truncate", "--size=24M", image], check=True)
    subprocess.run(["mkfs.ext4", "-q", "-m", "0", image], check=True)
    subprocess.run(["mount", "-o", "loop", image, folder], check=True)
    scene.callback(subprocess.run, ["umount", folder], check=True)
    scene.service("shop", str(folder / "debug.log"), str(folder / "cart.json"))
    wait_for("shop", "is not stored", 2)


def unreadable_key(scene: Scene) -> None:
    healthy(scene)
    key = DATA / "keys/release.key"
    key.parent.mkdir(exist_ok=True)
    key.write_text("0123456789abcdef\n")
    key.parent.chmod(0o755)
    key.chmod(0o600)
    run("deployment", ["ls", "-l", key])
    scene.service("signer", str(key), before=["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"])
    wait_for("signer", "is not signed", 3)


def descriptors_exhausted(scene: Scene) -> None:
    healthy(scene)
    scene.service("gateway", "18941", before=["prlimit", "--nofile=64:64"])
    wait_for("gateway", "listening")
    scene.service("gateway-client", "18941", "120")
    wait_for("gateway", "cannot accept", 2)


def zombies(scene: Scene) -> None:
    healthy(scene)
    before = scene.control_group("pids", "dispatcher", {"pids.max": 60})
    scene.service("dispatcher", before=before)
    wait_for("dispatcher", "is not started", 2)


def missing_interpreter(scene: Scene) -> None:
    healthy(scene)
    command = [*program("supervisor"), "5", "/opt/cases/bin/renderer", "--quality", "80"]
    Path("/opt/cases/bin/renderer").write_text("#!/opt/renderer/bin/python3\nprint('rendered')\n")
    Path("/opt/cases/bin/renderer").chmod(0o755)
    scene.start("renderer", command, env=environment())
    wait_for("renderer", "is not started again")


CASES = [
    Case(
        "deleted-file-held-open",
        "UploadsFail: uploads cannot be stored in /srv/cases/uploads, and du finds next to nothing there",
        {
            "cause": ["deleted", "held open", "still open", "keeps open", "unlinked"],
            "object": ["thumbnailer", "preview.cache", "/srv/cases/uploads"],
            "category": ["disk", "storage", "file system"],
            "required_evidence": [["deleted"], ["No space left on device", "100%"]],
            "forbidden_evidence": ["out of memory"],
        },
        deleted_file_held_open,
        [("disk_usage", {"path": "/srv/cases/uploads"}), ("tail_log", {"path": "/var/log/cases/disk-report.log"}),
         ("tail_log", {"path": "/var/log/cases/uploads.log"})],
    ),
    Case(
        "disk-full-of-logs",
        "CartsFail: the shop does not store carts any more",
        {
            "cause": ["no space left on device", "var log shop is full", "debug log", "disk is full", "100% used"],
            "object": ["/var/log/shop", "debug.log", "cart.json"],
            "category": ["disk", "storage", "file system", "no space"],
            "required_evidence": [["No space left on device", "100"], ["debug.log", "/var/log/shop"]],
            "forbidden_evidence": ["out of memory"],
        },
        disk_full_of_logs,
        [("disk_usage", {"path": "/var/log/shop"}), ("tail_log", {"path": "/var/log/cases/shop.log"}),
         ("list_logs", {"contains": "shop"})],
    ),
    Case(
        "unreadable-key",
        "ReleasesUnsigned: the signer has signed nothing since its last deployment",
        {
            "cause": ["permission denied", "may not read", "cannot read", "wrong permissions", "mode 0600"],
            "object": ["release.key", "signer"],
            "category": ["access", "permission", "permissions", "configuration"],
            "required_evidence": [["Permission denied"], ["release.key"]],
            "forbidden_evidence": [],
        },
        unreadable_key,
        [("tail_log", {"path": "/var/log/cases/signer.log"}), ("tail_log", {"path": "/var/log/cases/deployment.log"})],
    ),
    Case(
        "descriptors-exhausted",
        "GatewayRefusesClients: new clients of the gateway wait without an answer",
        {
            "cause": ["too many open files", "descriptor limit", "limit of descriptors", "file descriptors", "no file handle left"],
            "object": ["gateway", "18941"],
            "category": ["resource limit", "file descriptors", "host_service", "starvation", "resource starvation"],
            "required_evidence": [["Too many open files"]],
            "forbidden_evidence": ["out of memory"],
        },
        descriptors_exhausted,
        [("tail_log", {"path": "/var/log/cases/gateway.log"}), ("top_processes", {"limit": 30})],
    ),
    Case(
        "zombies",
        "JobsNotStarted: the dispatcher starts no jobs any more",
        {
            "cause": ["zombie", "zombies", "defunct", "not reaped", "pids limit", "process limit", "limit of processes"],
            "object": ["dispatcher"],
            "category": ["resource limit", "processes", "host_service", "starvation", "resource starvation"],
            "required_evidence": [["Resource temporarily unavailable"]],
            "forbidden_evidence": ["out of memory"],
        },
        zombies,
        [("tail_log", {"path": "/var/log/cases/dispatcher.log"}), ("top_processes", {"limit": 50})],
    ),
    Case(
        "missing-interpreter",
        "RendererDown: the renderer ends right after each start",
        {
            "cause": ["No such file or directory", "interpreter", "not found", "does not exist", "missing"],
            "object": ["renderer"],
            "category": ["command", "configuration", "crash", "application error"],
            "required_evidence": [["No such file or directory"], ["renderer"]],
            "forbidden_evidence": [],
        },
        missing_interpreter,
        [("tail_log", {"path": "/var/log/cases/renderer.log"})],
    ),
]
