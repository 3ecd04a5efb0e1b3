//! A small storm with a new seed each time; `make chaos` is the large one.

use tarsy_e2e::chaos;

const ROUNDS: u32 = 3;

#[tokio::test]
async fn owners_killed_at_random_points_leave_no_trace() -> anyhow::Result<()> {
    let lines = std::sync::Mutex::new(Vec::new());
    let report = |line| lines.lock().map(|mut lines| lines.push(line)).unwrap_or_default();
    let outcome = chaos::run(ROUNDS, rand::random(), report).await?;
    assert!(outcome.is_good(ROUNDS), "{outcome}\n{lines:#?}");
    Ok(())
}
