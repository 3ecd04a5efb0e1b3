//! Owners are killed at random points of whole sessions, again and again; nothing is lost and nothing
//! happens twice.

mod storm;
mod toll;

use std::fmt;
use std::time::Duration;

use anyhow::Context as _;
use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};
use serde_json::Value;
use tokio::time::{Instant, sleep};

use crate::chaos::toll::Toll;
use crate::records::Records;
use crate::stack::Stack;
use crate::viewer::Viewer;

const TIMEOUT: Duration = Duration::from_mins(2);
/// Questions that may be answered before the kill comes, in one round.
const MOST_QUESTIONS: u32 = 5;
/// The longest pause between an event and the kill, in milliseconds.
const LONGEST_PAUSE: u64 = 250;

/// What a storm came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Owners that were killed.
    pub killed: u32,
    /// Sessions that completed all the same, with their question answered.
    pub completed: u32,
    /// Tool calls that were made more than once.
    pub repeated: usize,
    /// Stages, executions, messages and events that are there more than once.
    pub duplicates: usize,
    /// Events that are missing, in the table or before the viewer.
    pub gaps: usize,
    /// The seed of all that was random.
    pub seed: u64,
}

impl Outcome {
    /// Whether so many owners were killed and nobody noticed.
    pub fn is_good(&self, rounds: u32) -> bool {
        let good = Self { killed: rounds, completed: rounds, seed: self.seed, ..Self::default() };
        *self == good
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { killed, completed, repeated, duplicates, gaps, seed } = self;
        write!(
            out,
            "killed {killed}, completed {completed}, repeated tool calls {repeated}, duplicates \
             {duplicates}, gaps {gaps}, seed {seed}"
        )
    }
}

/// Where in its life a session loses its owner.
#[derive(Clone, Copy, Debug)]
enum Point {
    /// So many events after the alert was handed in.
    Session(usize),
    /// So many events after the question was asked.
    Chat(usize),
}

/// How many events a session has until its end, and until its question is answered.
#[derive(Clone, Copy, Debug)]
struct Life {
    session: usize,
    chat: usize,
}

/// Kills an owner in each of so many rounds; `report` receives the result of each.
pub async fn run(rounds: u32, seed: u64, report: impl Fn(String)) -> anyhow::Result<Outcome> {
    let mut stack = Stack::start(storm::options()).await?;
    let mut random = StdRng::seed_from_u64(seed);
    let mut outcome = Outcome { seed, ..Outcome::default() };
    let begun = Instant::now();
    let life = undisturbed(&stack).await.with_context(|| stack.logs())?;
    report(format!(
        "undisturbed: {} events until the end, {} more for the question, {} ms",
        life.session,
        life.chat,
        begun.elapsed().as_millis()
    ));
    for round in 1..=rounds {
        let at = random.random_range(0..life.session + life.chat - 2);
        // The last event of either is its end: then there is no owner any more.
        let point = at
            .checked_sub(life.session - 1)
            .map_or(Point::Session(at + 1), |at| Point::Chat(at + 1));
        let pause = Duration::from_millis(random.random_range(0..=LONGEST_PAUSE));
        let begun = Instant::now();
        let toll = one(&mut stack, round, point, pause).await;
        let took = begun.elapsed().as_millis();
        match toll {
            Ok(toll) => {
                outcome.killed += 1;
                outcome.completed += u32::from(toll.is_complete());
                outcome.repeated += toll.repeated.len();
                outcome.duplicates += toll.duplicates.len();
                outcome.gaps += toll.gaps;
                report(format!(
                    "{round:>3}/{rounds} {point:?} + {} ms: {toll} ({took} ms)",
                    pause.as_millis()
                ));
            }
            Err(error) => {
                outcome.killed += 1;
                report(format!("{round:>3}/{rounds} {point:?}: LOST: {error:#} ({took} ms)"));
            }
        }
    }
    Ok(outcome)
}

/// A round without a kill: how long is a life?
async fn undisturbed(stack: &Stack) -> anyhow::Result<Life> {
    let session = stack.submit("storm", &storm::alert(0)).await?;
    let viewer = stack.watch(&session).await?;
    finished(stack, &session, &viewer).await?;
    let until_end = viewer.numbers().len();
    let stage = stack.ask(&session, &storm::question(1)).await?;
    viewer.stage_ends(&stage, "completed", TIMEOUT).await?;
    let toll = Toll::of(stack, &session, &viewer, 0).await?;
    anyhow::ensure!(toll.is_complete() && toll.is_nothing(), "without a kill: {toll}");
    Ok(Life { session: until_end, chat: viewer.numbers().len() - until_end })
}

async fn one(stack: &mut Stack, round: u32, point: Point, pause: Duration) -> anyhow::Result<Toll> {
    let session = stack.submit("storm", &storm::alert(round)).await?;
    let viewer = stack.watch(&session).await?;
    let mut killed = false;
    if let Point::Session(events) = point {
        come_or_over(&viewer, events, |event| {
            event["type"] == "session.status" && event["status"] == "completed"
        })
        .await?;
        sleep(pause).await;
        killed = kill_owner(stack, &session).await?;
    }
    finished(stack, &session, &viewer).await?;
    // An owner that was done before the kill came is followed by one that answers a question.
    let mut asked = 0;
    while !killed || asked == 0 {
        let before = viewer.numbers().len();
        asked += 1;
        let stage = stack.ask(&session, &storm::question(asked)).await?;
        if !killed {
            anyhow::ensure!(asked <= MOST_QUESTIONS, "{asked} questions were never caught alive");
            let events = if let Point::Chat(events) = point { events } else { 4 };
            // A kill that came too late comes earlier in the next question's life.
            let events = before + (events / asked as usize).max(1);
            come_or_over(&viewer, events, |event| {
                event["type"] == "stage.status"
                    && event["stage_id"] == stage
                    && event["status"] == "completed"
            })
            .await?;
            sleep(pause / asked).await;
            killed = kill_owner(stack, &session).await?;
        }
        viewer.stage_ends(&stage, "completed", TIMEOUT).await?;
    }
    Toll::of(stack, &session, &viewer, round).await
}

/// Waits until so many events have come; or the last one, for no life is quite like the other.
async fn come_or_over(
    viewer: &Viewer,
    events: usize,
    is_last: impl Fn(&Value) -> bool,
) -> anyhow::Result<()> {
    viewer
        .wait_until(&format!("{events} events have come"), TIMEOUT, |viewer| {
            Ok(viewer.numbers().len() >= events || viewer.seen().iter().any(&is_last))
        })
        .await
}

async fn finished(stack: &Stack, session: &str, viewer: &Viewer) -> anyhow::Result<()> {
    let end = viewer.wait_for_end(TIMEOUT).await?;
    if end != "completed" {
        let records = Records::of(stack, session).await?;
        anyhow::bail!("{end}: {}\n{}", records.detail["error_message"], records.report());
    }
    Ok(())
}

/// Kills the session's owner, if it has one, and starts another process in its place.
async fn kill_owner(stack: &mut Stack, session: &str) -> anyhow::Result<bool> {
    let Some(owner) = stack.owner(session).await? else { return Ok(false) };
    stack.kill(&owner).await?;
    stack.launch(&owner).await?;
    Ok(true)
}
