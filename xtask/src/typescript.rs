//! The lengths of the dashboard's functions, measured by a script with the parser of its build tool.

use std::path::Path;
use std::process::Command;

use anyhow::Context as _;

/// Lines that 95 of 100 functions stay within.
const PERCENTILE_95_LIMIT: u64 = 40;

/// What the script prints: one JSON object, then each function above the limit.
pub(crate) struct Lengths {
    summary: String,
    longest: Vec<String>,
    percentile_95: u64,
}

pub(crate) fn measure(root: &Path) -> anyhow::Result<Lengths> {
    let output = Command::new("node")
        .current_dir(root)
        .args(["dashboard/scripts/function-lines.mjs", "--list"])
        .output()
        .context("node is missing")?;
    let text = String::from_utf8(output.stdout)?;
    let (summary, list) = text.split_once('\n').with_context(|| {
        format!("function-lines.mjs failed: {}", String::from_utf8_lossy(&output.stderr))
    })?;
    let percentile_95 = summary
        .split_once("\"p95\":")
        .and_then(|(_, after)| after.split(',').next()?.parse().ok())
        .context("function-lines.mjs printed no 95th percentile")?;
    let longest = list.lines().map(str::to_owned).collect();
    Ok(Lengths { summary: summary.to_owned(), longest, percentile_95 })
}

impl Lengths {
    pub(crate) fn problems(&self) -> Vec<String> {
        if self.percentile_95 <= PERCENTILE_95_LIMIT {
            return Vec::new();
        }
        let first =
            format!("the 95th percentile is above {PERCENTILE_95_LIMIT} lines: {}", self.summary);
        std::iter::once(first).chain(self.longest.iter().cloned()).collect()
    }

    pub(crate) fn summary(&self) -> &str {
        &self.summary
    }
}
