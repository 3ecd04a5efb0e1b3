//! What a stack's services read when they start.

use std::path::Path;

use crate::roles;
use crate::stack::StackOptions;

/// Writes the configuration of a stack whose files are in this folder; `vendor` is where its models are
/// played.
pub(super) fn write(
    folder: &Path,
    options: &StackOptions,
    vendor: Option<&str>,
) -> anyhow::Result<()> {
    let config = folder.join("config");
    std::fs::create_dir_all(&config)?;
    let provider = if vendor.is_some() { "played" } else { "offline" };
    std::fs::write(
        config.join("tarsy.yaml"),
        format!(
            "queue:\n  worker_count: {}\n  max_concurrent_sessions: {}\n  \
             heartbeat_interval: {}s\n  orphan_threshold: {}s\n  session_timeout: {}\n\
             {}\
             defaults:\n  llm_provider: {provider}\n{}\
             mcp_servers:\n{}{}\
             agents:\n  Ledger:\n    mcp_servers: [ledger]\n{}\
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
            runbooks(folder, options)?,
            options.defaults,
            ledger(folder),
            options.servers,
            roles::agents(),
            options.chains,
        ),
    )?;
    if let Some(url) = vendor {
        let providers =
            [("played", "gpt-played"), ("second", "gpt-second")].map(|(name, model)| {
                format!(
                    "  {name}:\n    type: openai\n    model: {model}\n    \
                 api_key_env: PLAYED_KEY\n    base_url: {url}\n"
                )
            });
        let providers = format!("llm_providers:\n{}", providers.concat());
        std::fs::write(config.join("llm-providers.yaml"), providers)?;
    }
    Ok(())
}

/// The ledger. It takes the place of the built-in server for clusters, too: here is none, and that
/// server comes from npm.
fn ledger(folder: &Path) -> String {
    let workspace = tarsy_testkit::workspace();
    format!(
        "  ledger:\n    transport: &ledger\n      type: stdio\n      init_timeout: 2m\n      \
         command: {}\n      args: [{}]\n      \
         env:\n        LEDGER: {}\n  kubernetes-server:\n    transport: *ledger\n",
        workspace.join(".tarsy/venv/bin/python").display(),
        workspace.join("tests/servers/ledger.py").display(),
        folder.join("ledger.txt").display(),
    )
}

fn runbooks(folder: &Path, options: &StackOptions) -> anyhow::Result<String> {
    if options.runbooks.is_empty() {
        return Ok(String::new());
    }
    let place = folder.join("runbooks");
    std::fs::create_dir_all(&place)?;
    for (name, text) in options.runbooks {
        std::fs::write(place.join(name), text)?;
    }
    Ok(format!("system:\n  runbooks:\n    folder: {}\n", place.display()))
}
