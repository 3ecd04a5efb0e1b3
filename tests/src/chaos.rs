//! Services, servers, connections and clocks fail at random points of whole sessions, again and again: every session
//! completes, nothing is lost and nothing happens twice.

mod deliveries;
pub(crate) mod fault;
mod findings;
pub(crate) mod inject;
pub(crate) mod life;
mod outcome;
mod plan;
pub(crate) mod script;
mod slots;

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use futures::future::join_all;
use rand::SeedableRng as _;
use rand::rngs::StdRng;
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

use crate::chaos::deliveries::DeliveryFindings;
use crate::chaos::fault::Faults;
use crate::chaos::findings::Findings;
use crate::chaos::inject::Injector;
use crate::chaos::life::{Accepted, Access, Alert, Life, Problem, caught_up, is_end, number};
use crate::chaos::plan::{Act, Planned, Point};
use crate::model::Gate;
use crate::posts::Failures;
use crate::stack::{Stack, StackOptions};

pub use crate::chaos::fault::Extent;
pub use crate::chaos::outcome::Outcome;

/// How long the services may take to be ready again after a round.
const READY: Duration = Duration::from_mins(2);

/// The rounds so far.
struct Rounds {
    stack: Stack,
    access: Access,
    faults: Faults,
    injector: Injector,
    random: StdRng,
    life: Life,
    outcome: Outcome,
    extent: Extent,
}

/// Runs so many rounds; `report` receives the result of each.
pub async fn run(
    rounds: usize,
    seed: u64,
    extent: Extent,
    report: impl Fn(String),
) -> anyhow::Result<Outcome> {
    let failures = if extent == Extent::All { Failures::All } else { Failures::Answered };
    let gate = Gate::default();
    let options = script::options(seed, failures, gate.clone());
    let stack = Stack::start(StackOptions { workers: slots::WORKERS, ..options }).await?;
    let access = Access { client: stack.client().clone(), database_url: stack.database_url() };
    let begun = Instant::now();
    let life = undisturbed(&stack, &access).await.with_context(|| stack.logs())?;
    report(format!(
        "undisturbed: {} events until the end, {} more for the question, {} ms",
        life.session,
        life.chat,
        begun.elapsed().as_millis()
    ));
    let faults = Faults::of(&stack, extent, &report);
    let mut run = Rounds {
        stack,
        access,
        faults,
        injector: Injector::default(),
        random: StdRng::seed_from_u64(seed),
        life,
        outcome: Outcome { seed, ..Outcome::default() },
        extent,
    };
    for round in 1..=rounds {
        let begun = Instant::now();
        let lines = run.round().await.with_context(|| run.stack.logs())?;
        for line in lines {
            report(format!("{round:>3}/{rounds} {line}"));
        }
        report(format!("{round:>3}/{rounds} took {} ms", begun.elapsed().as_millis()));
    }
    run.outcome.lost_slots = slots::lost(&run.stack, &gate).await?;
    run.deliveries(&report).await?;
    Ok(run.outcome)
}

/// A round without a fault: how long is a life?
async fn undisturbed(stack: &Stack, access: &Access) -> anyhow::Result<Life> {
    let alert = new_alert(stack, 0)?;
    let problem = |problem| match problem {
        Problem::Lost(error) | Problem::Stuck(error) => error,
    };
    let accepted = access.accept(&alert).await.map_err(problem)?;
    access.follow(&accepted, &alert).await.map_err(problem)?;
    let Accepted { session, viewer } = &accepted;
    caught_up(viewer, stack.last_event(session).await?).await;
    let findings = Findings::of(stack, session, viewer, 0).await?;
    anyhow::ensure!(findings.is_nothing(), "without a fault: {findings}");
    let seen = viewer.seen();
    let session = number(seen.iter().find(|event| is_end(event)).context("no end was seen")?);
    Ok(Life { session, chat: viewer.numbers().len() - session })
}

/// The alert of the session with this number; every second one comes from a message in Slack.
fn new_alert(stack: &Stack, number: usize) -> anyhow::Result<Alert> {
    let fingerprint = number.is_multiple_of(2).then(|| format!("firing: alert number {number}!"));
    if let Some(text) = &fingerprint {
        stack.posts()?.write(text)?;
    }
    let key = format!("chaos-{number}");
    Ok(Alert { key, data: script::alert(number), fingerprint, question: script::question(1) })
}

impl Rounds {
    /// Lives sessions while the planned faults come; returns what is to be reported.
    async fn round(&mut self) -> anyhow::Result<Vec<String>> {
        let plan = plan::choose(&mut self.random, &self.faults, self.life, self.extent);
        let begin = self.outcome.sessions;
        let many = if self.extent == Extent::All { 2 } else { 1 };
        // The alert with number 0 was the undisturbed one's.
        let numbers: Vec<usize> = (begin + 1..=begin + many).collect();
        let alerts: anyhow::Result<Vec<Alert>> =
            numbers.iter().map(|number| new_alert(&self.stack, *number)).collect();
        let alerts = alerts?;
        let (first, watched) = watch::channel(None);
        let access = self.access.clone();
        let lives = async {
            let live = alerts.iter().map(|alert| live(&access, alert, &first));
            let lives = join_all(live).await;
            first.send_replace(None);
            drop(first);
            lives
        };
        let inject = inject_all(&mut self.injector, &mut self.stack, &plan, watched);
        let (lives, injected) = tokio::join!(lives, inject);
        injected?;
        self.injector.set_clocks(&mut self.stack).await?;
        self.outcome.rounds += 1;
        self.outcome.faults = self.injector.count;
        self.outcome.owners = self.injector.owners;
        let mut report: Vec<String> = plan.iter().map(Planned::to_string).collect();
        for ended in self.stack.ended() {
            self.outcome.stuck += 1;
            let service = ended.split(':').next().unwrap_or_default().to_owned();
            report.push(format!("ENDED {ended}"));
            self.stack.launch(&service).await?;
        }
        self.stack.is_ready(READY).await?;
        for (number, (accepted, problem)) in numbers.into_iter().zip(lives) {
            report.push(self.judge(number, accepted.as_deref(), problem).await?);
        }
        Ok(report)
    }

    /// Counts what is wrong with a session, and describes it.
    async fn judge(
        &mut self,
        number: usize,
        accepted: Option<&Accepted>,
        problem: Option<Problem>,
    ) -> anyhow::Result<String> {
        let outcome = &mut self.outcome;
        outcome.sessions += 1;
        let mut line = match &problem {
            Some(Problem::Lost(error)) => {
                outcome.lost += 1;
                format!("session {number} LOST {error:#}")
            }
            Some(Problem::Stuck(error)) => {
                outcome.stuck += 1;
                format!("session {number} STUCK {error:#}")
            }
            None => format!("session {number}"),
        };
        let stored = stored_sessions(&self.stack, number).await?;
        outcome.duplicates += stored.saturating_sub(1);
        if stored != 1 {
            line.extend([format!(" STORED {stored} times")]);
        }
        let Some(Accepted { session, viewer }) = accepted else { return Ok(line) };
        caught_up(viewer, self.stack.last_event(session).await?).await;
        self.access.is_shown(session).await?;
        let findings = Findings::of(&self.stack, session, viewer, number).await?;
        outcome.repeated += findings.repeated.len();
        outcome.gaps += findings.gaps;
        if problem.is_none() {
            outcome.duplicates += findings.duplicates.len();
            if findings.disagreement.is_some() || !findings.lost.is_empty() {
                outcome.lost += 1;
            } else {
                outcome.completed += 1;
            }
        }
        Ok(format!("{line} {session}: {findings}"))
    }

    async fn deliveries(&mut self, report: &impl Fn(String)) -> anyhow::Result<()> {
        let found = DeliveryFindings::of(&self.stack, &self.injector.disturbances).await?;
        self.outcome.lost += found.missing.len();
        self.outcome.duplicate_posts += found.duplicates.len();
        found.missing.iter().for_each(|missing| report(format!("NOT RECEIVED {missing}")));
        found.duplicates.iter().for_each(|post| report(format!("DUPLICATE POST {post}")));
        Ok(())
    }
}

type Watched = Option<Arc<Accepted>>;

/// Submits an alert and follows its session; the first one that is accepted is announced.
async fn live(
    access: &Access,
    alert: &Alert,
    first: &watch::Sender<Watched>,
) -> (Watched, Option<Problem>) {
    let accepted = match access.accept(alert).await {
        Ok(accepted) => Arc::new(accepted),
        Err(problem) => return (None, Some(problem)),
    };
    first.send_if_modified(|first| {
        let is_first = first.is_none();
        if is_first {
            *first = Some(Arc::clone(&accepted));
        }
        is_first
    });
    let problem = access.follow(&accepted, alert).await.err();
    (Some(accepted), problem)
}

/// Carries the planned faults out, each at its point in the life of the watched session.
async fn inject_all(
    injector: &mut Injector,
    stack: &mut Stack,
    plan: &[Planned],
    mut watched: watch::Receiver<Watched>,
) -> anyhow::Result<()> {
    for Planned { point, pause, act } in plan {
        let mut session = None;
        if !matches!(point, Point::Intake) {
            let first = watched.wait_for(Option::is_some).await.ok().and_then(|one| one.clone());
            // Without a session, nothing has a point any more; the fault comes all the same.
            if let Some(accepted) = first {
                point.is_reached(&accepted.viewer).await;
                session = Some(accepted);
            }
        }
        sleep(*pause).await;
        match (act, session) {
            (Act::Fault(fault), _) => injector.inject(stack, fault).await?,
            (Act::KillOwner, Some(accepted)) => {
                injector.kill_owner(stack, &accepted.session).await?;
            }
            (Act::KillOwner, None) => {}
        }
    }
    Ok(())
}

/// How many sessions the alert with this number has.
async fn stored_sessions(stack: &Stack, number: usize) -> anyhow::Result<usize> {
    let count = "select count(*) from alert_sessions where alert_data like $1";
    let alert = format!("%{}%", script::alert(number));
    let count: i64 =
        sqlx::query_scalar(count).bind(alert).fetch_one(&mut stack.sql().await?).await?;
    Ok(usize::try_from(count)?)
}
