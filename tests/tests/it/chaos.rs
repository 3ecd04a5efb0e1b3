//! A few rounds with a new seed each time; `make chaos` runs many.

use tarsy_e2e::chaos::{self, Extent};

const ROUNDS: usize = 2;

#[tokio::test]
async fn faults_at_random_points_lose_and_repeat_nothing() -> anyhow::Result<()> {
    let lines = std::sync::Mutex::new(Vec::new());
    let report = |line| lines.lock().map(|mut lines| lines.push(line)).unwrap_or_default();
    let outcome = chaos::run(ROUNDS, rand::random(), Extent::Short, report).await?;
    assert!(outcome.is_good() && outcome.sessions == ROUNDS, "{outcome}\n{lines:#?}");
    Ok(())
}
