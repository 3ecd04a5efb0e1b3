//! `tarsy config`: checks the configuration without starting anything, and lets what runs read it again.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Subcommand;
use serde_json::{Value, json};
use tarsy_catalog::{Catalog, Env, Skill};
use tarsy_service::Settings;

use super::reload;
use crate::client::Client;
use crate::output::{self, Format};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Reads the configuration and reports every error in it.
    Check {
        /// The folder of tarsy.yaml; default: `TARSY_CONFIG_DIR`, or deploy/config.
        #[arg(long)]
        dir: Option<PathBuf>,
    },
    /// Prints the JSON Schema of tarsy.yaml.
    Schema,
    /// Reloads the configuration in all services, and waits until they run with it. Running sessions go on; an invalid
    /// configuration changes nothing.
    Reload,
}

pub(crate) async fn run(
    command: &Command,
    client: impl FnOnce() -> anyhow::Result<Client>,
    format: Format,
) -> anyhow::Result<ExitCode> {
    match command {
        Command::Reload => reload::run(&client()?, format).await,
        Command::Schema => {
            output::line(&serde_json::to_string_pretty(&tarsy_catalog::schema_json())?);
            Ok(ExitCode::SUCCESS)
        }
        Command::Check { dir } => {
            let settings = Settings::from_env()?;
            let folder = dir.clone().or_else(|| settings.config_dir.clone());
            let env = Env::of(settings.environment().clone());
            let checked = Catalog::load_dir(folder.as_deref(), &env);
            let code = if checked.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
            match (checked, format) {
                (Ok(catalog), Format::Json) => output::document(&json!({
                    "valid": true,
                    "folder": folder,
                    "warnings": texts(&catalog.warnings),
                    "remediation": acting(&catalog).collect::<Vec<_>>(),
                    "skills": catalog.skills.values().map(skill).collect::<Vec<_>>(),
                }))?,
                (Err(report), Format::Json) => output::document(&json!({
                    "valid": false,
                    "folder": folder,
                    "errors": texts(&report.problems),
                }))?,
                (Ok(catalog), Format::Text) => print_valid(&catalog, folder.as_deref()),
                (Err(report), Format::Text) => {
                    output::remark(&report.to_string());
                    let count = report.problems.len();
                    output::problem(&format!("errors in the configuration: {count}"));
                }
            }
            Ok(code)
        }
    }
}

fn texts<T: ToString>(items: &[T]) -> Vec<String> {
    items.iter().map(ToString::to_string).collect()
}

/// The chains whose remediation is on.
fn acting(catalog: &Catalog) -> impl Iterator<Item = &str> {
    let chains = catalog.chains.values().filter(|chain| chain.remediation.enabled);
    chains.map(|chain| chain.id.as_str())
}

/// A skill as JSON.
fn skill(skill: &Skill) -> Value {
    json!({
        "name": skill.name,
        "description": skill.description,
        "hash": skill.hash,
        "builtin": skill.builtin,
    })
}

fn print_valid(catalog: &Catalog, folder: Option<&Path>) {
    for warning in &catalog.warnings {
        output::remark(&format!("warning: {warning}"));
    }
    let folder = folder.map_or("built-in configuration".to_owned(), |at| at.display().to_string());
    output::line(&format!(
        "ok: {folder}: {}, {}, {}, {}, {}",
        output::counted(catalog.chains.len(), "chain"),
        output::counted(catalog.agents.len(), "agent"),
        output::counted(catalog.servers.len(), "MCP server"),
        output::counted(catalog.providers.len(), "LLM provider"),
        output::counted(catalog.skills.len(), "skill"),
    ));
    let on: Vec<&str> = acting(catalog).collect();
    let on = if on.is_empty() { "off in every chain".to_owned() } else { on.join(", ") };
    output::line(&format!("remediation: {on}"));
    let own: Vec<&Skill> = catalog.skills.values().filter(|skill| !skill.builtin).collect();
    if !own.is_empty() {
        let names: Vec<&str> = own.iter().map(|skill| skill.name.as_str()).collect();
        output::line(&format!("skills of this folder: {}", names.join(", ")));
    }
    let builtin = catalog.skills.values().filter(|skill| skill.builtin);
    let builtin: Vec<&str> = builtin.map(|skill| skill.name.as_str()).collect();
    output::line(&format!("built-in skills: {}", builtin.join(", ")));
    output::line(&format!("note: {}", catalog.llm_info().message));
}
