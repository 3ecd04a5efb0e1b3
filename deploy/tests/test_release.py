"""What a release needs before it is made, what belongs to it, and the one version of a checkout."""

import gzip
import hashlib
import io
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from manifests import ROOT
from test_images import IMAGES

sys.path.insert(0, str(ROOT / "deploy/scripts"))
import release
import versions

(VERSION,) = versions.PLACES[0].found(ROOT)
OTHER = "7.8.9-rc.1"
MIGRATION = 7


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder that is ready for its release."""
    for place in versions.PLACES:
        (tmp_path / place.file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / place.file, tmp_path / place.file)
    (tmp_path / "CHANGELOG.md").write_text(
        f"# Changelog\n\n## {VERSION}\n\n- It is there.\n\n## 0.0.1\n\n- It was planned.\n"
    )
    (tmp_path / "migrations").mkdir()
    (tmp_path / f"migrations/000{MIGRATION}_sessions.sql").touch()
    schemas = tmp_path / "libs/store/tests/schemas"
    schemas.mkdir(parents=True)
    (schemas / f"{VERSION}.sql").write_text(f"INSERT INTO public._sqlx_migrations VALUES ({MIGRATION}, 'sessions');\n")  # noqa: S608
    return tmp_path


def found(checkout: Path, version: str = VERSION, changed: str = "") -> str:
    return "\n".join(release.obstacles(checkout, version, changed))


def test_every_file_of_this_checkout_has_the_same_version() -> None:
    assert not versions.differing(ROOT, VERSION)


def test_nothing_stands_in_the_way_of_a_checkout_that_is_ready(checkout: Path) -> None:
    assert not found(checkout)


def test_what_is_not_committed_stands_in_the_way(checkout: Path) -> None:
    assert "libs/new.rs" in found(checkout, changed="?? libs/new.rs\n")


@pytest.mark.parametrize("place", versions.PLACES, ids=lambda place: f"{place.file}: {place.before}")
def test_one_file_with_another_version_stands_in_the_way(checkout: Path, place: versions.Place) -> None:
    place.set(checkout, OTHER)
    assert f"{place.file} has {OTHER} instead of {VERSION}: make version VERSION={VERSION}" in found(checkout)


def test_a_version_is_set_in_every_file_and_nowhere_else(checkout: Path) -> None:
    for place in versions.PLACES:
        place.set(checkout, OTHER)
    assert not versions.differing(checkout, OTHER)
    for place in versions.PLACES:
        place.set(checkout, VERSION)
    for place in versions.PLACES:
        assert (checkout / place.file).read_bytes() == (ROOT / place.file).read_bytes(), place.file


def test_a_file_without_its_version_stands_in_the_way(checkout: Path) -> None:
    (checkout / "deploy/helm/tarsy/Chart.yaml").write_text("name: tarsy\n")
    assert "deploy/helm/tarsy/Chart.yaml has no version" in found(checkout)


@pytest.mark.parametrize(
    ("changelog", "expected"),
    [
        ("# Changelog\n\n## 0.0.1\n\n- It was planned.\n", "says nothing under"),
        (f"# Changelog\n\n## {VERSION}\n\n## 0.0.1\n\n- It was planned.\n", "says nothing under"),
        (f"# Changelog\n\n## Unreleased\n\n- More.\n\n## {VERSION}\n\n- It is there.\n", "under `## Unreleased`"),
    ],
)
def test_a_changelog_without_the_version_stands_in_the_way(checkout: Path, changelog: str, expected: str) -> None:
    (checkout / "CHANGELOG.md").write_text(changelog)
    assert expected in found(checkout)


def test_what_was_unreleased_gets_the_heading_of_the_version_once() -> None:
    changelog = "# Changelog\n\n## Unreleased\n\n- More.\n\n## 0.0.1\n"
    of_version = versions.released(changelog, OTHER)
    assert release.notes(of_version, OTHER) == "- More."
    assert not release.unreleased(of_version)
    later = of_version.replace("# Changelog\n", "# Changelog\n\n## Unreleased\n\n- Late.\n", 1)
    assert versions.released(later, OTHER) == later


def test_a_schema_that_is_older_than_the_migrations_stands_in_the_way(checkout: Path) -> None:
    (checkout / f"migrations/000{MIGRATION + 1}_more.sql").touch()
    assert f"make release-schema NAME={VERSION}" in found(checkout)


def test_a_recorded_schema_names_its_newest_migration() -> None:
    dumps = sorted(release.SCHEMAS.glob("main-*.sql"))
    assert dumps
    for dump in dumps:
        assert release.recorded_migration(dump) == int(dump.stem.removeprefix("main-"))


def test_the_notes_of_a_version_end_before_the_next(checkout: Path) -> None:
    assert release.notes((checkout / "CHANGELOG.md").read_text(), VERSION) == "- It is there."


def test_the_context_has_the_files_of_the_commit_that_the_images_are_built_from(tmp_path: Path) -> None:
    first, second = tmp_path / "one.tar.gz", tmp_path / "two.tar.gz"
    release.write_context(first)
    release.write_context(second)
    assert first.read_bytes() == second.read_bytes()
    with tarfile.open(fileobj=io.BytesIO(gzip.decompress(first.read_bytes()))) as archive:
        names = set(archive.getnames())
    assert set(release.output("git", "ls-tree", "-r", "--name-only", "HEAD").splitlines()) <= names
    assert not [name for name in names if name.startswith((".tarsy", "target", "dashboard/node_modules"))]


def test_the_checksums_are_those_of_every_file(tmp_path: Path) -> None:
    (tmp_path / "sbom").mkdir()
    (tmp_path / "tarsy.whl").write_bytes(b"program")
    (tmp_path / "sbom/rust.cdx.json").write_bytes(b"{}")
    release.write_sums(tmp_path)
    listed = dict(line.split("  ")[::-1] for line in (tmp_path / release.SUMS).read_text().splitlines())
    assert listed == {
        "sbom/rust.cdx.json": hashlib.sha256(b"{}").hexdigest(),
        "tarsy.whl": hashlib.sha256(b"program").hexdigest(),
    }


def test_every_image_is_among_the_commands_that_publish() -> None:
    commands = release.publication(VERSION, Path("dist") / VERSION, "0123abc")
    built = {(file, target) for _, file, target in release.IMAGES}
    assert built == {(file, target) for file, targets in IMAGES.items() for target in targets}
    for image, _, _ in release.IMAGES:
        assert f"/{image}:{VERSION} " in commands
        assert f"cosign sign --yes $REGISTRY/{image}:{VERSION}\n" in commands
    signed, uploaded = commands.index("cosign sign-blob"), commands.index("gh release create")
    assert signed < uploaded, "the signature is uploaded with the rest"
    assert f"--bundle dist/{VERSION}/SHA256SUMS.sigstore.json" in commands
    assert f"git tag --sign --message 'TARSY {VERSION}' v{VERSION} 0123abc" in commands


def test_what_is_no_version_is_refused() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "deploy/scripts/release.py", "one"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "'one' is no version such as 1.2.3" in done.stderr
