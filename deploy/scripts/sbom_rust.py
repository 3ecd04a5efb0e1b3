"""Writes the bill of materials of the crates (CycloneDX 1.6) to standard output, from Cargo.lock alone.

Crates that only builds of tests and tools have are of the scope `excluded`.
"""

import json
import subprocess
import tomllib
from pathlib import Path
from typing import Any

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentScope, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

ROOT = Path(__file__).parents[2]
# Members of the workspace that are no part of what is shipped.
OF_TESTS = {"tarsy-bench", "tarsy-e2e", "tarsy-testkit", "xtask"}


def shipped(metadata: dict[str, Any]) -> set[str]:
    """The ids of the packages that a shipped program is built of."""
    names = {package["id"]: package["name"] for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    waiting = [member for member in metadata["workspace_members"] if names[member] not in OF_TESTS]
    found = set(waiting)
    while waiting:
        for dependency in nodes[waiting.pop()]["deps"]:
            is_built = any(kind["kind"] != "dev" for kind in dependency["dep_kinds"])
            if is_built and dependency["pkg"] not in found:
                found.add(dependency["pkg"])
                waiting.append(dependency["pkg"])
    return found


def main() -> None:
    """Reads the metadata and the lock file, and prints the document."""
    command = ["cargo", "metadata", "--locked", "--format-version=1"]
    metadata = json.loads(subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout)
    locked = tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]
    checksums = {(one["name"], one["version"]): one.get("checksum") for one in locked}
    built, licenses, components = shipped(metadata), LicenseFactory(), dict[str, Component]()
    for package in metadata["packages"]:
        name, version, expression = package["name"], package["version"], package["license"]
        checksum = checksums.get((name, version))
        components[package["id"]] = Component(
            name=name,
            version=version,
            type=ComponentType.LIBRARY,
            bom_ref=f"{name}@{version}",
            purl=PackageURL("cargo", name=name, version=version),
            scope=ComponentScope.REQUIRED if package["id"] in built else ComponentScope.EXCLUDED,
            # Crates from before SPDX expressions write a slash for OR.
            licenses=[licenses.make_from_string(expression.replace("/", " OR "))] if expression else [],
            hashes=[HashType(alg=HashAlgorithm.SHA_256, content=checksum)] if checksum else [],
        )
    bom = Bom(components=components.values())
    bom.metadata.component = Component(name="tarsy", type=ComponentType.APPLICATION, bom_ref="tarsy")
    for node in metadata["resolve"]["nodes"]:
        bom.register_dependency(components[node["id"]], [components[one["pkg"]] for one in node["deps"]])
    members = [components[member] for member in metadata["workspace_members"]]
    bom.register_dependency(bom.metadata.component, members)
    print(JsonV1Dot6(bom).output_as_string(indent=2))


if __name__ == "__main__":
    main()
