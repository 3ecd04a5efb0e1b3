//! What runs: the test programs of the workspace, the examples of its documentation, and targets of the Makefile.

use std::collections::BTreeSet;
use std::io::BufReader;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, ensure};
use cargo_metadata::{Artifact, Message};

/// How a job says which tests passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Output {
    /// Events of libtest, as JSON.
    Events,
    /// Text for people; only the exit status counts.
    Text,
}

/// A program to run.
#[derive(Clone, Debug)]
pub(super) struct Job {
    /// The folder and the target, such as `libs/store it`.
    pub(super) name: String,
    pub(super) program: PathBuf,
    pub(super) arguments: Vec<String>,
    /// Where it runs: the folder of its package, as `cargo test` has it.
    pub(super) folder: PathBuf,
    pub(super) output: Output,
}

#[derive(Clone, Debug)]
pub(super) struct Test {
    pub(super) name: String,
    pub(super) passed: bool,
    pub(super) time: Duration,
    /// What it printed, if it failed.
    pub(super) output: String,
}

/// How a job ended.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) job: Job,
    pub(super) time: Duration,
    /// Of all processors, also by what it started.
    pub(super) processor: Duration,
    pub(super) tests: Vec<Test>,
    /// Why the job failed, whatever its tests say.
    pub(super) failure: Option<String>,
    /// The last lines that are no event.
    pub(super) printed: String,
}

impl Outcome {
    pub(super) fn passed(&self) -> bool {
        self.failure.is_none()
    }
}

impl Job {
    #[cfg(test)]
    pub(super) fn named(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            program: PathBuf::from("/bin/true"),
            arguments: Vec::new(),
            folder: PathBuf::from("/"),
            output: Output::Text,
        }
    }
}

/// The program whose modules are a run each: they have nothing in common but the crates that they link.
const WHOLE_PRODUCT: &str = "tests it";

/// As the Makefile builds: without it, some libraries would be compiled once more.
const CONTAINERS: &str = "--features=tarsy-testkit/containers";

/// Builds the workspace and lists its test programs.
pub(super) fn programs() -> anyhow::Result<Vec<Job>> {
    let mut cargo = Command::new("cargo")
        .args([
            "build",
            "--workspace",
            "--all-targets",
            CONTAINERS,
            "--message-format=json-render-diagnostics",
            "--quiet",
        ])
        .stdout(Stdio::piped())
        .spawn()
        .context("cargo could not be started")?;
    let output = cargo.stdout.take().context("cargo has no output")?;
    let mut jobs = Vec::new();
    for message in Message::parse_stream(BufReader::new(output)) {
        if let Message::CompilerArtifact(artifact) = message? {
            jobs.extend(program(&artifact)?);
        }
    }
    ensure!(cargo.wait()?.success(), "the workspace could not be built");
    Ok(jobs)
}

/// A test program, if the artifact is one.
fn program(artifact: &Artifact) -> anyhow::Result<Option<Job>> {
    let Some(program) = artifact.executable.as_ref().filter(|_| artifact.profile.test) else {
        return Ok(None);
    };
    let folder = artifact.manifest_path.parent().context("a manifest without a folder")?;
    let root = std::env::current_dir()?;
    let place = folder.as_std_path().strip_prefix(&root).unwrap_or(folder.as_std_path());
    let target = &artifact.target;
    let kind = if target.is_lib() { "lib" } else { target.name.as_str() };
    Ok(Some(Job {
        name: format!("{} {kind}", place.display()),
        program: program.clone().into(),
        arguments: Vec::new(),
        folder: folder.into(),
        output: Output::Events,
    }))
}

/// The examples of the documentation of all crates: with fewer of them, libraries would have other features, and be compiled
/// once more.
pub(super) fn documentation() -> anyhow::Result<Job> {
    command("documentation", "cargo", &["test", "--workspace", "--doc", "--quiet", CONTAINERS])
}

/// A run for each module of the program of the whole product.
pub(super) fn by_module(jobs: Vec<Job>) -> anyhow::Result<Vec<Job>> {
    let mut split = Vec::new();
    for job in jobs {
        if job.name == WHOLE_PRODUCT {
            split.extend(modules(&job)?);
        } else {
            split.push(job);
        }
    }
    Ok(split)
}

fn modules(job: &Job) -> anyhow::Result<Vec<Job>> {
    let output = Command::new(&job.program).args(["--list", "--format=terse"]).output()?;
    ensure!(output.status.success(), "{} could not list its tests", job.name);
    let tests = String::from_utf8(output.stdout)?;
    let modules: BTreeSet<&str> =
        tests.lines().filter_map(|line| Some(line.split_once("::")?.0)).collect();
    let place = job.name.split(' ').next().unwrap_or_default();
    let run = |module: &str| Job {
        name: format!("{place} {module}"),
        arguments: only_module(module, &modules),
        ..job.clone()
    };
    Ok(modules.iter().map(|module| run(module)).collect())
}

/// The arguments that select the tests of a module. libtest looks for parts of names, so `load::` would be found in
/// `alert_load::`, too.
fn only_module(module: &str, all: &BTreeSet<&str>) -> Vec<String> {
    let longer = all.iter().filter(|other| other.ends_with(module) && **other != module);
    let skipped = longer.flat_map(|other| ["--skip".to_owned(), format!("{other}::")]);
    std::iter::once(format!("{module}::")).chain(skipped).collect()
}

/// A target of the Makefile.
pub(super) fn make(target: &str) -> anyhow::Result<Job> {
    command(&format!("make {target}"), "make", &["--no-print-directory", target])
}

/// A command at the root of the workspace.
fn command(name: &str, program: &str, arguments: &[&str]) -> anyhow::Result<Job> {
    Ok(Job {
        name: name.to_owned(),
        program: PathBuf::from(program),
        arguments: arguments.iter().map(|one| (*one).to_owned()).collect(),
        folder: std::env::current_dir()?,
        output: Output::Text,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_is_selected_without_those_that_end_with_its_name() {
        let all = BTreeSet::from(["alert_load", "chat", "load"]);
        assert_eq!(only_module("load", &all), ["load::", "--skip", "alert_load::"]);
        assert_eq!(only_module("chat", &all), ["chat::"]);
    }
}
