"""The Dockerfiles: bases that can be replaced, a user, a health check without further programs, labels."""

import re
from pathlib import Path

import pytest
from manifests import ROOT, SOURCES, objects, pod_of

FOLDER = ROOT / "deploy/images"
FILES = sorted(FOLDER.glob("*.Dockerfile"))
# The stages that are images, by file.
IMAGES = {"tarsy.Dockerfile": ["mcp-gateway", "tarsy"], "llm-service.Dockerfile": [""]}


def stages(text: str) -> dict[str, str]:
    """The stages of a Dockerfile by their names; the last may have none."""
    parts = re.split(r"^FROM ", text, flags=re.MULTILINE)[1:]
    return {(found.group(1) if (found := re.match(r"\S+ AS (\S+)", part)) else ""): part for part in parts}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_base_is_an_argument_with_a_version_and_a_digest(path: Path) -> None:
    text = path.read_text()
    arguments = dict(re.findall(r"^ARG (\w+)=(\S+)", text, re.MULTILINE))
    names = set(stages(text))
    for base in re.findall(r"^FROM (\S+)", text, re.MULTILINE):
        name = re.fullmatch(r"\$\{(\w+)\}", base)
        assert name, base
        value = arguments[name.group(1)]
        assert value in names or re.fullmatch(r"[a-z.]+/[a-z/-]+:[\w.-]+@sha256:[0-9a-f]{64}", value), value


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_image_runs_as_a_user_of_group_0_with_a_health_check(path: Path) -> None:
    parts = stages(path.read_text())
    for name in IMAGES[path.name]:
        part = parts[name]
        assert re.findall(r"^USER (.+)$", part, re.MULTILINE)[-1] == "1000:0", name
        assert 'CMD ["healthcheck"]' in part, name
        assert "COPY deploy/images/healthcheck" in part, name
        for label in ("title", "description", "licenses"):
            assert f"org.opencontainers.image.{label}=" in part, name
        # Only /tmp can be written to.
        assert re.search(r"HOME=/tmp", part), name


def test_no_package_is_installed_without_a_lock_file() -> None:
    for path in FILES:
        for command in re.findall(r"(?:pip|npm) (?:install|ci)[^&\\\n]*", path.read_text()):
            assert command.startswith("npm ci") or {"--no-deps", "--require-hashes"} <= set(command.split()), command


def test_every_program_that_a_manifest_starts_is_in_the_image() -> None:
    text = (FOLDER / "tarsy.Dockerfile").read_text()
    copied = set(re.findall(r"target/release/([\w-]+)", text))
    gateway = set(re.findall(r"/programs/([\w-]+)", stages(text)["mcp-gateway"]))
    started = set[tuple[str, str]]()
    for source in SOURCES:
        for item in objects(source):
            for container in (pod_of(item) or {}).get("containers", []):
                image = container["image"].rpartition("/")[2].split(":")[0].split("@")[0]
                if image in ("tarsy", "tarsy-mcp-gateway"):
                    started.add((image, container["args"][0]))
    assert len(started) > 5
    for image, program in started:
        assert program in (copied if image == "tarsy" else gateway), f"{image}: {program}"
