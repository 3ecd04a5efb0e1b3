//! Software bills of materials, known vulnerabilities, and tool servers without a registry.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::{Context as _, ensure};
use serde_json::Value;
use tarsy_testkit::workspace;
use tempfile::TempDir;

fn json(path: &Path) -> anyhow::Result<Value> {
    let text = fs::read(path).with_context(|| path.display().to_string())?;
    serde_json::from_slice(&text).with_context(|| path.display().to_string())
}

fn output(command: &mut Command) -> anyhow::Result<Output> {
    command.output().with_context(|| format!("{command:?} could not be started"))
}

fn text(output: &Output) -> String {
    let (out, err) = (&output.stdout, &output.stderr);
    format!("{}{}", String::from_utf8_lossy(out), String::from_utf8_lossy(err))
}

/// The names of a document's components.
fn components(document: &Value) -> anyhow::Result<BTreeSet<String>> {
    ensure!(document["bomFormat"] == "CycloneDX", "the document is no CycloneDX");
    ensure!(document["specVersion"].is_string(), "the document has no version");
    let components = document["components"].as_array().context("it has no components")?;
    for component in components {
        ensure!(component["version"].is_string(), "{} has no version", component["name"]);
    }
    Ok(components.iter().filter_map(|one| one["name"].as_str()).map(normal).collect())
}

/// A Python package's name is the same with `_`, `.` and `-`, and an npm name's scope may be a field of its own.
fn normal(name: &str) -> String {
    name.rsplit('/').next().unwrap_or(name).to_lowercase().replace(['_', '.'], "-")
}

fn crates() -> anyhow::Result<Vec<String>> {
    let command = &mut Command::new("cargo");
    command.args(["metadata", "--no-deps", "--format-version", "1", "--locked", "--offline"]);
    let metadata: Value =
        serde_json::from_slice(&output(command.current_dir(workspace()))?.stdout)?;
    let packages = metadata.get("packages").and_then(Value::as_array).context("no packages")?;
    let direct = packages.iter().filter_map(|one| one["dependencies"].as_array()).flatten();
    // What only tests use is not shipped; members of the workspace are what is shipped.
    let shipped = direct.filter(|one| one["kind"] != "dev" && one["path"].is_null());
    Ok(shipped.filter_map(|one| one["name"].as_str()).map(str::to_owned).collect())
}

fn npm_packages(folder: &str) -> anyhow::Result<Vec<String>> {
    let package = json(&workspace().join(folder).join("package.json"))?;
    let kinds = ["dependencies", "devDependencies"];
    let listed = kinds.iter().filter_map(|kind| package.get(*kind)?.as_object());
    Ok(listed.flat_map(|map| map.keys().cloned()).collect())
}

/// The packages that lines such as `name>=1.2`, or `"name>=1.2",` in a list, name.
fn python_packages(file: &str) -> anyhow::Result<Vec<String>> {
    let text = fs::read_to_string(workspace().join(file))?;
    let part = match text.split_once("\ndependencies = [") {
        Some((_, rest)) => rest.split_once(']').map_or(rest, |(list, _)| list).to_owned(),
        None => text,
    };
    let lines = part.lines().map(|line| line.trim().trim_matches(['"', ',']));
    let names =
        lines.filter_map(|line| line.split_once(['=', '>', '<', '~']).map(|(name, _)| name));
    let names = names.filter(|name| name.starts_with(|first: char| first.is_ascii_lowercase()));
    Ok(names.map(|name| name.trim().to_owned()).collect())
}

#[test]
fn the_bills_of_materials_name_every_direct_dependency() -> anyhow::Result<()> {
    let folder = TempDir::new()?;
    let script = workspace().join("deploy/scripts/sbom.sh");
    let made = output(Command::new(script).arg(folder.path()))?;
    ensure!(made.status.success(), "{}; `make setup-test`", text(&made));
    for (name, direct) in [
        ("rust", crates()?),
        ("dashboard", npm_packages("dashboard")?),
        ("mcp-servers", npm_packages("deploy/mcp-servers")?),
        ("llm-service", python_packages("llm-service/pyproject.toml")?),
        ("embedded", python_packages("deploy/embedded/requirements.txt")?),
    ] {
        let document = json(&folder.path().join(format!("{name}.cdx.json")))?;
        let named = components(&document).with_context(|| name.to_owned())?;
        ensure!(direct.len() > 1, "{name} has no direct dependencies");
        for dependency in direct {
            assert!(named.contains(&normal(&dependency)), "{name} does not name {dependency}");
        }
    }
    let crates = json(&folder.path().join("rust.cdx.json"))?;
    let parts = crates["components"].as_array().context("no components")?;
    let unnamed: Vec<_> = parts
        .iter()
        .filter(|part| part["hashes"][0]["content"].as_str().is_none_or(|hash| hash.len() != 64))
        .map(|part| part["name"].as_str())
        .collect();
    assert!(unnamed.is_empty(), "crates without their hash: {unnamed:?}");
    Ok(())
}

/// A program that prints a text and ends with a status.
fn program(folder: &Path, name: &str, printed: &str, status: i32) -> anyhow::Result<PathBuf> {
    let path = folder.join(name);
    fs::write(&path, format!("#!/bin/sh\ncat <<'END'\n{printed}\nEND\nexit {status}\n"))?;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
    Ok(path)
}

/// Runs the audit with programs that answer as given: the exit code and the report.
fn audit(deny: i32, npm: &str, pip: &str) -> anyhow::Result<(i32, String)> {
    let folder = TempDir::new()?;
    let path = std::env::join_paths([folder.path(), Path::new("/usr/bin"), Path::new("/bin")])?;
    program(folder.path(), "npm", npm, 1)?;
    let done = output(
        Command::new(workspace().join(".tarsy/venv-audit/bin/python"))
            .arg(workspace().join("deploy/scripts/audit.py"))
            .arg("--cargo-deny")
            .arg(program(folder.path(), "cargo-deny", "", deny)?)
            .arg("--pip-audit")
            .arg(program(folder.path(), "pip-audit", pip, 0)?)
            .env("PATH", path),
    )?;
    Ok((done.status.code().unwrap_or(-1), text(&done)))
}

#[test]
fn a_database_that_cannot_be_reached_is_not_a_pass() -> anyhow::Result<()> {
    let clean_npm = r#"{"vulnerabilities": {}, "metadata": {}}"#;
    let clean_pip = r#"{"dependencies": [{"name": "grpcio", "version": "1", "vulns": []}]}"#;
    let (code, report) = audit(0, clean_npm, clean_pip)?;
    assert!(code == 0 && !report.contains("NOT CHECKED"), "{report}");

    let skipped = r#"{"dependencies": [{"name": "grpcio", "skip_reason": "not found"}]}"#;
    for (deny, npm, pip, subject) in [
        (1, clean_npm, clean_pip, "Cargo.lock"),
        (0, r#"{"message": "405 Method Not Allowed"}"#, clean_pip, "dashboard/package-lock.json"),
        (0, clean_npm, skipped, "llm-service/requirements.txt"),
        (0, clean_npm, "", "llm-service/requirements.txt"),
    ] {
        let (code, report) = audit(deny, npm, pip)?;
        let line = report.lines().find(|line| line.contains(subject)).unwrap_or_default();
        assert!(code == 2 && line.starts_with("NOT CHECKED"), "{subject}: {report}");
    }
    let npm = r#"{"vulnerabilities": {"left": {"severity": "high"}}, "metadata": {}}"#;
    let pip =
        r#"{"dependencies": [{"name": "grpcio", "version": "1", "vulns": [{"id": "PYSEC-1"}]}]}"#;
    let (code, report) = audit(1, npm, pip)?;
    assert!(code == 1 && report.contains("left") && report.contains("PYSEC-1"), "{report}");
    Ok(())
}

/// Starts a package with npx as an image does: in the folder of the lock file, with the registry out of reach.
fn npx(package: &str, argument: &str) -> anyhow::Result<Output> {
    let home = TempDir::new()?;
    output(
        Command::new("npx")
            .args(["-y", package, argument])
            .current_dir(workspace().join(".tarsy/mcp-servers"))
            .env("HOME", home.path())
            .env("npm_config_offline", "true")
            .stdin(std::process::Stdio::null()),
    )
}

#[test]
fn the_tool_servers_of_the_images_need_no_registry() -> anyhow::Result<()> {
    let lock = json(&workspace().join("deploy/mcp-servers/package-lock.json"))?;
    let version = |name: &str| {
        let entry = &lock["packages"][format!("node_modules/{name}")];
        entry["version"].as_str().map(str::to_owned).with_context(|| format!("no {name}"))
    };
    let kubernetes = format!("kubernetes-mcp-server@{}", version("kubernetes-mcp-server")?);
    let github = "@modelcontextprotocol/server-github";
    let github = format!("{github}@{}", version(github)?);
    let started = npx(&kubernetes, "--version")?;
    assert!(started.status.success(), "{}", text(&started));
    let started = npx(&github, "")?;
    assert!(text(&started).contains("running on stdio"), "{}", text(&started));
    for (file, package) in [
        ("libs/catalog/src/builtin/tarsy.yaml", &kubernetes),
        ("deploy/images/tarsy.Dockerfile", &kubernetes),
        ("deploy/config/tarsy.example.yaml", &github),
    ] {
        let file = fs::read_to_string(workspace().join(file))?;
        assert!(file.contains(package.as_str()), "{package} is not the version of the lock file");
    }
    Ok(())
}

#[test]
fn every_package_of_a_lock_file_has_a_hash() -> anyhow::Result<()> {
    for folder in ["dashboard", "deploy/mcp-servers", "deploy/helm/tools"] {
        let lock = json(&workspace().join(folder).join("package-lock.json"))?;
        let packages = lock["packages"].as_object().context("no packages")?;
        for (name, package) in packages.iter().filter(|(name, _)| !name.is_empty()) {
            assert!(package["integrity"].is_string(), "{folder}: {name} has no hash");
        }
    }
    for file in [
        "llm-service/requirements.txt",
        "llm-service/requirements-dev.txt",
        "deploy/embedded/requirements.txt",
        "deploy/audit/requirements.txt",
        "deploy/tests/requirements.txt",
        "tests/models/requirements.txt",
        "tests/schemathesis/requirements.txt",
    ] {
        let text = fs::read_to_string(workspace().join(file))?;
        let pins = text.lines().filter(|line| line.contains("==")).count();
        let hashed =
            text.lines().filter(|line| line.contains("==") && line.ends_with('\\')).count();
        assert!(pins > 0 && pins == hashed, "{file}: {hashed} of {pins} packages have a hash");
    }
    Ok(())
}
