//! `tarsy doctor`: what is missing on this machine, and how to install it.

use std::path::Path;
use std::process::{Command, ExitCode};

use console::style;
use serde_json::{Value, json};
use tarsy_catalog::{Catalog, Env};
use tarsy_embedded::Programs;
use tarsy_mcp_gateway::Platform;
use tarsy_service::Settings;

use crate::output::{self, Format};
use crate::up::{llm_python, llm_source, places};

/// The results so far.
struct Checks {
    format: Format,
    results: Vec<Value>,
    healthy: bool,
}

impl Checks {
    fn add(&mut self, name: &str, needed: bool, state: Result<String, String>) {
        let (mark, state, text) = match state {
            Ok(text) => (style("ok     ").green(), "ok", text),
            Err(text) if needed => {
                self.healthy = false;
                (style("missing").red(), "missing", text)
            }
            Err(text) => (style("absent ").yellow(), "absent", text),
        };
        if self.format == Format::Text {
            output::line(&format!("{mark} {name:<18} {text}"));
        }
        self.results.push(json!({ "name": name, "state": state, "text": text }));
    }
}

/// Checks everything and prints all results.
pub(crate) fn run(format: Format) -> anyhow::Result<ExitCode> {
    let mut checks = Checks { format, results: Vec::new(), healthy: true };
    check_all(&mut checks);
    if format.is_json() {
        output::document(&checks.results)?;
    }
    Ok(if checks.healthy { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn check_all(checks: &mut Checks) {
    let settings = Settings::from_env();
    let mut check = |name: &str, needed: bool, state: Result<String, String>| {
        checks.add(name, needed, state);
    };
    check(
        "settings",
        true,
        settings.as_ref().map(|_| "valid".to_owned()).map_err(ToString::to_string),
    );
    if let Ok(settings) = &settings {
        let env = Env::of(settings.environment().clone());
        let catalog = Catalog::load_dir(settings.config_dir.as_deref(), &env);
        let state = match &catalog {
            Ok(catalog) => Ok(catalog.llm_info().message),
            Err(report) => Err(report.to_string()),
        };
        check("configuration", true, state);
        let found = Programs::find(&places(settings.environment()));
        check(
            "servers",
            true,
            found
                .map(|at| format!("{}, {}", at.postgres_bin.display(), at.nats_server.display()))
                .map_err(|missing| missing.to_string()),
        );
    }
    let llm = llm_python().and_then(|python| Ok((python, llm_source()?)));
    check(
        "llm-service",
        true,
        llm.map(|(python, _)| python.display().to_string()).map_err(|error| error.to_string()),
    );
    let dashboard = Path::new("dashboard/dist/index.html");
    check(
        "dashboard",
        true,
        if dashboard.exists() {
            Ok(dashboard.display().to_string())
        } else {
            Err("not built: `make dashboard` builds it".to_owned())
        },
    );
    check("sandbox", false, sandbox());
    check("Node.js", false, version("node", "only needed to build the dashboard"));
    check("npx", false, version("npx", "only needed for MCP servers from npm"));
    check("Chromium", false, version("chromium", "only needed for the browser tests"));
}

/// What the machine provides to keep tool servers from other programs.
fn sandbox() -> Result<String, String> {
    let Platform { landlock, has_landlock, can_change_user } = Platform::detect();
    let user = if can_change_user { "possible" } else { "needs root" };
    let text = format!("Landlock keeps from tool servers: {landlock}; users of their own: {user}");
    if has_landlock { Ok(text) } else { Err(text) }
}

fn version(program: &str, why: &str) -> Result<String, String> {
    let output = Command::new(program).arg("--version").output();
    match output {
        Ok(output) if output.status.success() => {
            Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
        }
        _ => Err(format!("{program} was not found; {why}")),
    }
}
