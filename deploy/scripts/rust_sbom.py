"""Prints the software bill of materials (CycloneDX, JSON) of the crates of this workspace.

It has what `cargo metadata` resolves with every feature, for every platform, and each crate's hash of `Cargo.lock`.
"""

import json
import subprocess
import sys
import tomllib
import uuid
from pathlib import Path

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import ExternalReference, ExternalReferenceType, HashAlgorithm, HashType, XsUri
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output import make_outputter
from cyclonedx.schema import OutputFormat, SchemaVersion
from packageurl import PackageURL

ROOT = Path(__file__).parents[2]


def metadata() -> dict:
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--all-features"]
    return json.loads(subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout)


def checksums() -> dict[tuple[str, str], str]:
    packages = tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]
    return {(package["name"], package["version"]): package.get("checksum", "") for package in packages}


def kind(package: dict) -> ComponentType:
    libraries = {"lib", "proc-macro", "rlib", "dylib", "cdylib", "staticlib"}
    is_library = any(libraries & set(target["kind"]) for target in package["targets"])
    return ComponentType.LIBRARY if is_library else ComponentType.APPLICATION


def component(package: dict, checksum: str) -> Component:
    # Cargo once separated the licenses that a crate offers by a slash.
    license_name = (package["license"] or "").replace("/", " OR ")
    repository = package["repository"]
    return Component(
        name=package["name"],
        version=package["version"],
        type=kind(package),
        bom_ref=f"{package['name']}@{package['version']}",
        description=package["description"],
        licenses=[LicenseFactory().make_from_string(license_name)] if license_name else [],
        purl=PackageURL("cargo", name=package["name"], version=package["version"]),
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=checksum)] if checksum else [],
        external_references=[ExternalReference(type=ExternalReferenceType.VCS, url=XsUri(repository))]
        if repository
        else [],
    )


def bill_of_materials() -> Bom:
    found, known = metadata(), checksums()
    components = {
        package["id"]: component(package, known.get((package["name"], package["version"]), ""))
        for package in found["packages"]
    }
    members = [components[member] for member in found["workspace_members"]]
    root = Component(name="tarsy", type=ComponentType.APPLICATION, bom_ref="workspace", components=members)
    others = [entry for entry in components.values() if entry not in members]
    bom = Bom(components=others)
    bom.metadata.component = root
    # The same lock file makes the same document.
    bom.metadata.timestamp = None
    bom.serial_number = uuid.uuid5(uuid.NAMESPACE_URL, (ROOT / "Cargo.lock").read_text())
    bom.register_dependency(root, members)
    for node in found["resolve"]["nodes"]:
        bom.register_dependency(components[node["id"]], [components[name] for name in node["dependencies"]])
    return bom


def main() -> None:
    outputter = make_outputter(bill_of_materials(), OutputFormat.JSON, SchemaVersion.V1_6)
    sys.stdout.write(outputter.output_as_string(indent=2) + "\n")


if __name__ == "__main__":
    main()
