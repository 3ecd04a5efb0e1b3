//! What a stack's services read when they start.

use std::path::Path;

use tarsy_testkit::CLIENT_ID;

use crate::posts::{CHANNEL, RESPONDER};
use crate::roles;
use crate::stack::StackOptions;

/// The provider of [`StackOptions::vendor`].
pub const VENDOR: &str = "vendor";
/// How long people stay signed in: long enough to submit an alert, short enough to wait for the end.
const SIGN_IN_LIFETIME: &str = "30s";

/// The addresses of the local servers that stand for those of others.
#[derive(Debug)]
pub(super) struct Receivers {
    /// Where models are played.
    pub(super) model: Option<String>,
    /// Where notifications are received.
    pub(super) posts: Option<String>,
    pub(super) dashboard: String,
}

/// Writes the configuration of a stack whose files are in this folder.
pub(super) fn write(
    folder: &Path,
    options: &StackOptions,
    receivers: &Receivers,
) -> anyhow::Result<()> {
    let vendor = receivers.model.as_deref();
    let config = folder.join("config");
    std::fs::create_dir_all(&config)?;
    let provider = if vendor.is_some() { "played" } else { "offline" };
    std::fs::write(
        config.join("tarsy.yaml"),
        format!(
            "queue:\n  worker_count: {}\n  max_concurrent_sessions: {}\n  \
             heartbeat_interval: {}s\n  orphan_threshold: {}s\n  session_timeout: {}\n\
             {}\
             {}\
             {}\
             {}\
             defaults:\n  llm_provider: {provider}\n  required_tools: []\n  rules_first: false\n{}\
             mcp_servers:\n{}{}\
             agents:\n  Ledger:\n    mcp_servers: [ledger]\n  \
             Remedy: {{type: action, mcp_servers: [ledger]}}\n{}{}\
             agent_chains:\n  ledger:\n    alert_types: [ledger]\n    stages:\n      \
             - name: reading\n        agents:\n          - name: Ledger\n    chat:\n      \
             agent: Ledger\n  \
             plain:\n    alert_types: [plain]\n    stages:\n      \
             - name: thinking\n        agents:\n          - name: Ledger\n            \
             mcp_servers: []\n{}",
            options.workers,
            options.cap.unwrap_or(u32::from(options.workers) * 2),
            options.lease_seconds / 2,
            options.lease_seconds,
            options.session_timeout,
            system(folder, options, receivers)?,
            section("intake", options.intake),
            section("topology", options.topology),
            section("schedules", options.schedules),
            options.defaults,
            ledger(folder),
            options.servers,
            roles::agents(),
            options.agents,
            options.chains,
        ),
    )?;
    std::fs::write(
        config.join("llm-providers.yaml"),
        providers(vendor, options.vendor.as_deref()),
    )?;
    Ok(())
}

/// A section of the configuration; nothing if it is empty.
fn section(name: &str, yaml: &str) -> String {
    if yaml.is_empty() { String::new() } else { format!("{name}:\n{yaml}") }
}

/// The providers of the played models, and the one of a vendor that the caller has.
fn providers(played: Option<&str>, vendor: Option<&str>) -> String {
    let played = played.into_iter().flat_map(|url| [("played", url), ("second", url)]);
    let all = played.chain(vendor.map(|url| (VENDOR, url)));
    let entries = all.map(|(name, url)| {
        format!(
            "  {name}:\n    type: openai\n    model: gpt-{name}\n    \
             api_key_env: PLAYED_KEY\n    base_url: {url}\n    max_concurrent_requests: 0\n"
        )
    });
    let entries = entries.collect::<String>();
    if entries.is_empty() { entries } else { format!("llm_providers:\n{entries}") }
}

/// The ledger. It takes the place of the built-in server for clusters, too: here is none, and that
/// server comes from npm.
fn ledger(folder: &Path) -> String {
    let workspace = tarsy_testkit::workspace();
    format!(
        "  ledger:\n    transport: &ledger\n      type: stdio\n      init_timeout: 2m\n      \
         command: {}\n      args: [{}]\n      \
         env:\n        LEDGER: {}\n    policy: &all {{mode: allow_all}}\n  \
         kubernetes-server:\n    transport: *ledger\n    policy: *all\n",
        workspace.join(".tarsy/venv/bin/python").display(),
        workspace.join("tests/servers/ledger.py").display(),
        folder.join("ledger.txt").display(),
    )
}

fn system(folder: &Path, options: &StackOptions, receivers: &Receivers) -> anyhow::Result<String> {
    let mut system = options.system.to_owned();
    if !options.runbooks.is_empty() {
        let place = folder.join("runbooks");
        std::fs::create_dir_all(&place)?;
        for (name, text) in options.runbooks {
            std::fs::write(place.join(name), text)?;
        }
        system.extend([format!("  runbooks:\n    folder: {}\n", place.display())]);
    }
    if let Some(issuer) = &options.issuer {
        system.extend([format!(
            "  dashboard_url: {}\n  access:\n    mode: oidc\n    roles: {{responder: [responders]}}\n    \
             oidc:\n      issuer: {issuer}\n      client_id: {CLIENT_ID}\n      \
             client_secret_env: OIDC_SECRET\n      session_lifetime: {SIGN_IN_LIFETIME}\n",
            receivers.dashboard
        )]);
    }
    let mut destinations = String::new();
    if let Some(url) = &receivers.posts {
        let (member, name) = RESPONDER;
        system.extend([format!(
            "  slack:\n    enabled: true\n    channel: {CHANNEL}\n    api_url: '{url}/slack'\n    \
             signing_secret_env: SLACK_SIGNING_SECRET\n    \
             users: {{{member}: {{name: {name}, role: responder}}}}\n"
        )]);
        destinations = format!(
            "notifications:\n  destinations:\n    hook: {{type: webhook, url: '{url}/hook', \
             secret_env: HOOK_SECRET}}\n"
        );
    }
    let system = if system.is_empty() { system } else { format!("system:\n{system}") };
    Ok(system + &destinations)
}
