//! What is missing on this machine, and how to install it.

use std::collections::BTreeMap;
use std::process::{Command, ExitCode};

use tarsy_catalog::{Catalog, Env, ProviderState};
use tarsy_embedded::Programs;
use tarsy_llm::GrpcLlm;
use tarsy_mcp_gateway::Platform;
use tarsy_service::{Settings, installation};

use super::report::{self, Check, State};
use crate::output::Format;
use crate::up::{llm_program, places};

/// The results so far.
#[derive(Default)]
struct Checks(Vec<Check>);

impl Checks {
    fn add(&mut self, name: &str, needed: bool, found: Result<String, String>) {
        let (state, text) = match found {
            Ok(text) => (State::Ok, text),
            Err(text) if needed => (State::Missing, text),
            Err(text) => (State::Absent, text),
        };
        self.0.push(Check { name: name.to_owned(), state, text, advice: None });
    }
}

/// Checks everything and prints all results.
pub(super) async fn run(format: Format) -> anyhow::Result<ExitCode> {
    let mut checks = Checks::default();
    check_all(&mut checks).await;
    report::print(&checks.0, format)
}

async fn check_all(checks: &mut Checks) {
    let settings = Settings::from_env();
    checks.add(
        "settings",
        true,
        settings.as_ref().map(|_| "valid".to_owned()).map_err(ToString::to_string),
    );
    if let Ok(settings) = &settings {
        check_configuration(checks, settings).await;
        let found = Programs::find(&places(settings.environment()));
        checks.add(
            "servers",
            true,
            found
                .map(|at| format!("{}, {}", at.postgres_bin.display(), at.nats_server.display()))
                .map_err(|missing| missing.to_string()),
        );
    }
    let mut check = |name: &str, needed: bool, state: Result<String, String>| {
        checks.add(name, needed, state);
    };
    let folder = settings.ok().and_then(|settings| settings.dashboard_dir);
    let page = folder.map(|folder| folder.join("index.html")).filter(|page| page.exists());
    check(
        "dashboard",
        true,
        match page {
            Some(page) => Ok(page.display().to_string()),
            None => Err("not built: `make dashboard` builds it".to_owned()),
        },
    );
    check("sandbox", false, sandbox());
    check("npx", false, version("npx", "only needed for MCP servers from npm"));
    if installation::prefix().is_some() {
        return;
    }
    check("Node.js", false, version("node", "only needed to build the dashboard"));
    let why = "only needed for the browser tests";
    let chromium = version("chromium-headless-shell", why).or_else(|_| version("chromium", why));
    check("Chromium", false, chromium);
}

/// Checks the configuration, llm-service, and which providers can be called. The llm-service that `LLM_SERVICE_ADDR`
/// names has the keys, and is asked; without it, it would be a child of `tarsy up` with the variables of this process.
async fn check_configuration(checks: &mut Checks, settings: &Settings) {
    let asks = settings.environment().contains_key("LLM_SERVICE_ADDR");
    let env = Env::of(settings.environment().clone());
    let env = if asks { env.without_llm_credentials() } else { env };
    let mut catalog = Catalog::load_dir(settings.config_dir.as_deref(), &env);
    let (llm_service, missing) = if asks {
        match listed(settings).await {
            Ok(missing) => (
                Ok(format!("answers at {}", settings.llm_service.addresses.join(", "))),
                Some(missing),
            ),
            Err(error) => (Err(error.to_string()), None),
        }
    } else {
        (installed().map_err(|error| error.to_string()), None)
    };
    let is_known = !asks || missing.is_some();
    if let Some(missing) = missing {
        catalog = catalog.map(|catalog| catalog.with_missing(missing));
    }
    let state = match &catalog {
        Ok(catalog) if is_known => Ok(catalog.llm_info().message),
        Ok(_) => Ok("valid".to_owned()),
        Err(report) => Err(report.to_string()),
    };
    checks.add("configuration", true, state);
    // Without a model no llm-service is started: the offline analyst answers.
    let needs_llm_service = asks || catalog.as_ref().is_ok_and(Catalog::has_usable_model);
    checks.add("llm-service", needs_llm_service, llm_service);
    let known = catalog.ok().filter(|_| is_known);
    for state in known.iter().flat_map(Catalog::provider_states) {
        add_provider(checks, state);
    }
}

async fn listed(settings: &Settings) -> Result<BTreeMap<String, Vec<String>>, tarsy_llm::Error> {
    GrpcLlm::new(&settings.llm_service)?.list_providers().await
}

fn installed() -> anyhow::Result<String> {
    Ok(llm_program()?.python.display().to_string())
}

/// A provider that the configuration names is needed.
fn add_provider(checks: &mut Checks, state: ProviderState) {
    let ProviderState { name, model, named_at, unusable, .. } = state;
    let is_named = named_at.is_some();
    let named = named_at.map(|key| format!(" (named at {key})")).unwrap_or_default();
    let result = match unusable {
        None => Ok(format!("{name}: {model}{named}")),
        Some(reason) => Err(format!("{name}: {reason}{named}")),
    };
    checks.add("provider", is_named, result);
}

/// What the machine provides to keep tool servers from other programs.
fn sandbox() -> Result<String, String> {
    let Platform { landlock, has_landlock, can_change_user } = Platform::detect();
    let user = if can_change_user { "possible" } else { "need root" };
    let text = format!("Landlock keeps tool servers from: {landlock}; separate users {user}");
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
