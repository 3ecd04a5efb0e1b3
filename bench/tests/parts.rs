//! Every part of the bench runs, with few samples. What it measures then means nothing, and is not looked at.

use anyhow::Context as _;
use tokio::process::Command;

#[tokio::test]
async fn parts_that_share_a_product_have_rows_in_the_table_of_a_tiny_run() -> anyhow::Result<()> {
    let parts =
        ["memory", "chunks", "viewers", "text", "claims", "intake", "events", "calls", "turns"];
    has_rows(&parts).await
}

#[tokio::test]
async fn sessions_have_rows_in_the_table_of_a_tiny_run() -> anyhow::Result<()> {
    has_rows(&["session", "sessions", "masking"]).await
}

#[tokio::test]
async fn pages_have_rows_in_the_table_of_a_tiny_run() -> anyhow::Result<()> {
    has_rows(&["pages"]).await
}

async fn has_rows(parts: &[&str]) -> anyhow::Result<()> {
    let bench = Command::new(env!("CARGO_BIN_EXE_tarsy-bench"))
        .arg("--tiny")
        .args(parts)
        .kill_on_drop(true)
        .output()
        .await
        .context("tarsy-bench")?;
    let (table, steps) =
        (String::from_utf8_lossy(&bench.stdout), String::from_utf8_lossy(&bench.stderr));
    let missing: Vec<_> = parts.iter().filter(|part| !has_row(&table, part)).collect();
    assert!(bench.status.success() && missing.is_empty(), "without {missing:?}\n{steps}\n{table}");
    Ok(())
}

/// The first cell of a row is the part.
fn has_row(table: &str, part: &str) -> bool {
    table.lines().any(|line| line.split(['│', '┆']).nth(1).is_some_and(|cell| cell.trim() == part))
}
