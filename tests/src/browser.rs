//! Scripts for Chromium, which see a stack as its users do.

use anyhow::ensure;

use crate::stack::Stack;

impl Stack {
    /// Runs a script of `dashboard/e2e` on the stack, with more settings for it. The script's last line counts its steps.
    pub async fn browse(&self, script: &str, settings: &[(&str, String)]) -> anyhow::Result<()> {
        let mut command = tokio::process::Command::new("node");
        command
            .arg(format!("e2e/{script}.mjs"))
            .current_dir(tarsy_testkit::workspace().join("dashboard"))
            .env("TARSY_URL", self.url())
            .envs(settings.iter().map(|(name, value)| (*name, value)));
        if let Ok(model) = self.model() {
            command.env("TARSY_MODEL_URL", model.url());
        }
        let output = command.output().await?;
        let text = String::from_utf8_lossy(&output.stdout);
        let problems = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{text}\n{problems}\n{}", self.logs());
        let counted = text.contains(&format!("{script}: ")) && text.contains(" passed, 0 failed");
        ensure!(counted, "{text}");
        Ok(())
    }
}
