"""The workflows of GitHub: they run what .ci/run runs, release every image signed, and upgrade on every PostgreSQL that is supported."""

import re

import yaml
from manifests import ROOT, Object
from test_images import IMAGES

FOLDER = ROOT / ".github/workflows"


def workflow(name: str) -> Object:
    # YAML 1.1 reads the key `on` as true.
    return yaml.safe_load((FOLDER / f"{name}.yaml").read_text())


def steps(job: Object) -> str:
    return "\n".join(step.get("run", "") for step in job["steps"])


def test_every_change_runs_what_the_project_runs() -> None:
    ci = workflow("ci")
    assert "pull_request" in ci[True]
    assert ".ci/run" in steps(ci["jobs"]["ci"])
    assert re.search(r"@sha256:[0-9a-f]{64}$", ci["jobs"]["ci"]["container"]["image"])


def test_one_job_runs_the_servers_of_tests_in_containers_and_fails_without_an_engine() -> None:
    job = workflow("ci")["jobs"]["containers"]
    assert "container" not in job, "the machine of the job has the engine"
    assert "-p tarsy-testkit --features containers -- containers::" in steps(job)
    assert job["steps"][-1]["env"] == {"TARSY_TEST_ENGINE": "required"}


def test_a_tag_builds_and_signs_every_image_and_then_the_chart() -> None:
    release = workflow("release")
    assert release[True] == {"push": {"tags": ["v*.*.*"]}}
    images, chart = release["jobs"]["images"], release["jobs"]["chart"]
    built = {(one["file"], one["target"]) for one in images["strategy"]["matrix"]["include"]}
    assert built == {(file, target) for file, targets in IMAGES.items() for target in targets}
    assert "cosign sign" in steps(images)
    assert images["permissions"]["id-token"] == "write"
    assert chart["needs"] == "images"
    assert "helm push" in steps(chart)
    assert "cosign sign" in steps(chart)


def test_a_tag_publishes_what_the_release_command_makes_with_a_wheel_for_each_machine() -> None:
    files = workflow("release")["jobs"]["files"]
    assert 'make release VERSION="$version" ARCHITECTURES="x86_64 aarch64"' in steps(files)
    assert "cosign sign-blob" in steps(files)
    assert "gh release create" in steps(files)
    assert files["permissions"] == {"contents": "write", "id-token": "write"}


def test_no_workflow_may_write_more_than_its_jobs_need() -> None:
    for path in FOLDER.glob("*.yaml"):
        assert yaml.safe_load(path.read_text())["permissions"] == {"contents": "read"}, path.name


def test_no_workflow_runs_an_action_that_its_author_can_change_later() -> None:
    for path in FOLDER.glob("*.yaml"):
        for used in re.findall(r"uses: (.+)", path.read_text()):
            assert re.fullmatch(r"[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", used), f"{path.name}: {used}"


def test_every_supported_postgresql_upgrades_from_every_release() -> None:
    job = workflow("upgrade")["jobs"]["upgrade"]
    versions = [int(version) for version in job["strategy"]["matrix"]["postgres"]]
    oldest = re.search(
        r"^(\d+) or newer", (ROOT / "docs/operating.md").read_text().split("## PostgreSQL")[1], re.MULTILINE
    )
    assert oldest
    assert versions == list(range(int(oldest.group(1)), versions[-1] + 1))
    assert "--test it upgrade" in steps(job)


def test_the_control_plane_runs_in_the_two_versions_before_the_locked_one() -> None:
    job = workflow("kubernetes")["jobs"]["kubernetes"]
    assert "make test-kubernetes VERSION=${{ matrix.version }}" in steps(job)
    assert job["container"] == workflow("ci")["jobs"]["ci"]["container"]
    modules = (ROOT / "deploy/tools/control-plane/go.mod").read_text()
    locked = re.search(r"^\tk8s.io/kubernetes v1\.(\d+)\.\d+$", modules, re.MULTILINE)
    assert locked
    minors = [int(version.split(".")[1]) for version in job["strategy"]["matrix"]["version"]]
    assert minors == [int(locked[1]) - 2, int(locked[1]) - 1]
