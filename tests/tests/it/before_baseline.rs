//! What a version before 0.1.0 stored comes into this one by its backup, and is whole: the migrations of both have nothing in common.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::command_line::{down, problem, run, start, tarsy};

/// Turns of the offline analyst, which investigated all of it, are no calls of a model any more: by so many less.
const COUNTS_OF_TURNS: [&str; 4] =
    ["/llm_interaction_count", "/usage/llm_calls", "/llm_interactions", "/total_interactions"];
const TURNS: i64 = 9;

/// Whether only the turns of the analyst are missing in a count.
fn is_without_turns(recorded: &Value, found: &Value, place: &str) -> bool {
    let counted = COUNTS_OF_TURNS.iter().any(|count| place.ends_with(count));
    let less = recorded.as_i64().zip(found.as_i64()).map(|(recorded, found)| recorded - found);
    counted && less == Some(TURNS)
}

/// Where the recorded answer has something that the answer of today has not, or has otherwise. What today has beside is new.
fn lost(recorded: &Value, found: &Value, place: &str) -> Vec<String> {
    match (recorded, found) {
        (Value::Object(recorded), Value::Object(found)) => recorded
            .iter()
            .flat_map(|(name, value)| {
                lost(value, found.get(name).unwrap_or(&Value::Null), &format!("{place}/{name}"))
            })
            .collect(),
        (Value::Array(recorded), Value::Array(found)) if recorded.len() == found.len() => {
            let each = recorded.iter().zip(found).enumerate();
            each.flat_map(|(at, (one, other))| lost(one, other, &format!("{place}/{at}"))).collect()
        }
        _ if recorded == found => Vec::new(),
        _ if is_without_turns(recorded, found, place) => Vec::new(),
        _ => vec![format!("{place}: {recorded} became {found}")],
    }
}

#[tokio::test]
async fn a_backup_of_the_last_version_before_the_baseline_is_restored_whole() -> anyhow::Result<()>
{
    let recorded = tarsy_testkit::workspace().join("tests/before-0.1.0");
    let file = recorded.join("backup.tar.gz").display().to_string();
    let folder = tempfile::tempdir()?;
    let home = folder.path().join("home");
    // Nothing runs on the folder: its PostgreSQL is started for the restore alone.
    let restored = run(&home, &["restore", &file, "--json"]).await?;
    assert!(restored.status.success(), "{}", problem(&restored));
    let restored: Value = serde_json::from_slice(&restored.stdout)?;
    assert_eq!((&restored["restored"], &restored["schema"]), (&true.into(), &140.into()));
    let again = run(&home, &["restore", &file]).await?;
    assert!(!again.status.success() && problem(&again).contains("is not empty"), "{again:?}");

    let (server, url) = start(tarsy(&home).args(["up", "--port", "0"])).await?;
    let answers = std::fs::read_to_string(recorded.join("answers.json"))?;
    let answers: BTreeMap<String, Value> = serde_json::from_str(&answers)?;
    assert!(answers.len() > 8, "{:?}", answers.keys());
    for (path, answer) in &answers {
        let found: Value =
            reqwest::get(format!("{url}{path}")).await?.error_for_status()?.json().await?;
        let lost = lost(answer, &found, path);
        assert!(lost.is_empty(), "{}", lost.join("\n"));
    }
    let recorded = answers.iter().filter(|(path, _)| path.ends_with("/timeline"));
    let steps: usize = recorded.map(|(_, answer)| answer.as_array().map_or(0, Vec::len)).sum();
    assert!(steps > 10, "{steps} steps");
    down(server).await
}
