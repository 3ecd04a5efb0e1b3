//! Scripts for Chromium, which see a stack as its users do.

use std::io::Write as _;

use anyhow::{anyhow, ensure};

use crate::stack::Stack;

impl Stack {
    /// Runs a script on the stack, with the address of its played model if it has one. What failed is reported before the
    /// logs of the services: the beginning of a long report is what is read.
    pub async fn browse(&self, script: &str, settings: &[(&str, String)]) -> anyhow::Result<()> {
        let model = self.model().ok().map(|model| ("TARSY_MODEL_URL", model.url()));
        let settings: Vec<_> = settings.iter().cloned().chain(model).collect();
        let outcome = browse(&self.address(), script, &settings).await;
        outcome.map_err(|error| anyhow!("{error:#}\n{}", self.logs()))
    }
}

/// What a script has measured in a page.
#[derive(Clone, Debug, serde::Deserialize)]
pub struct Measurement {
    pub name: String,
    /// In `unit`.
    pub value: f64,
    /// Such as `ms`.
    pub unit: String,
    /// Such as `at most 2000`.
    pub goal: String,
}

impl Stack {
    /// Runs a script that measures, and returns its measurements.
    pub async fn measured(
        &self,
        script: &str,
        settings: &[(&str, String)],
    ) -> anyhow::Result<Vec<Measurement>> {
        let file = self.path(&format!("{script}.measurements"));
        let place = ("TARSY_MEASUREMENTS", file.display().to_string());
        let settings: Vec<_> = settings.iter().cloned().chain([place]).collect();
        self.browse(script, &settings).await?;
        let lines = tokio::fs::read_to_string(&file).await?;
        Ok(lines.lines().map(serde_json::from_str).collect::<Result<_, _>>()?)
    }
}

/// Runs a script of `dashboard/e2e` on the TARSy at this address, which may carry the token of its start, with more settings for it. The script's last line counts its
/// steps. Where its time went is said even if it passes.
pub async fn browse(
    address: &str,
    script: &str,
    settings: &[(&str, String)],
) -> anyhow::Result<()> {
    let mut command = tokio::process::Command::new("node");
    command
        .arg(format!("e2e/{script}.mjs"))
        .current_dir(tarsy_testkit::workspace().join("dashboard"))
        .env("TARSY_URL", address.split("/#").next().unwrap_or(address))
        .env("TARSY_ADDRESS", address)
        .envs(settings.iter().map(|(name, value)| (*name, value)));
    let output = command.output().await?;
    let text = String::from_utf8_lossy(&output.stdout);
    let problems = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{script}: {problems}\n{text}");
    let counted = text.contains(&format!("{script}: ")) && text.contains(" passed, 0 failed");
    ensure!(counted, "{script}: its last line does not count the steps\n{text}");
    for line in text.lines().filter(|line| line.starts_with("time ")) {
        writeln!(std::io::stderr(), "{line}")?;
    }
    Ok(())
}
