//! Begins the investigations of schedules when their time has come. The rows of the runs are the timer, and PostgreSQL's clock
//! is its clock: of several instances the first one that writes a row begins the session, and a clock that is set back begins none
//! twice.

mod due;

use std::time::Duration;

use jiff::Timestamp;
use serde_json::json;
use tarsy_catalog::{Catalog, Schedule, Sender};
use tarsy_domain::id::SessionId;
use tarsy_domain::schedule::ScheduleRunOutcome;
use tarsy_service::ServiceContext;
use tarsy_store::{KnownSchedule, NewScheduleRun, NewSession, ScheduleState};
use tarsy_web::{FieldError, Problem};
use tokio::time::Instant;

use self::due::{Due, due};
use crate::intake::{self, SenderOf};
use crate::metrics;
use crate::notices::Notice;
use crate::quotas;
use crate::state::AppState;
use crate::submission;

const INTERVAL: Duration = Duration::from_secs(1);
/// The longest time between two looks at the database, which another instance may have written to.
const LONGEST: Duration = Duration::from_secs(30);
/// When a run that could not begin is tried again.
const RETRY: Duration = Duration::from_secs(2);

/// Whose tokens the runs of a schedule use.
fn scope(name: &str) -> String {
    format!("schedule:{name}")
}

/// Starts the task; it runs until the service stops.
pub(crate) fn start(app: &AppState, service: &ServiceContext) {
    let (mut timer, stopping) = (Timer::new(app.clone()), service.stopping());
    service.spawn_aux("gateway.schedules", async move {
        let mut tick = tokio::time::interval(INTERVAL);
        tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                _ = tick.tick() => {}
                () = stopping.cancelled() => return,
            }
            if timer.app.database_is_up()
                && let Err(error) = Box::pin(timer.look()).await
            {
                tracing::warn!(error, "schedules could not be looked at");
            }
        }
    });
}

struct Timer {
    app: AppState,
    /// What was registered last; none before the first time.
    registered: Option<Vec<KnownSchedule>>,
    next_look: Instant,
}

impl Timer {
    fn new(app: AppState) -> Self {
        Self { app, registered: None, next_look: Instant::now() }
    }

    async fn look(&mut self) -> Result<(), String> {
        let catalog = self.app.catalog();
        let known: Vec<KnownSchedule> = catalog.schedules.values().map(known).collect();
        if self.registered.as_ref() != Some(&known) {
            self.app.store.register_schedules(&known).await.map_err(|error| text(&error))?;
            self.registered = Some(known);
            self.next_look = Instant::now();
        }
        let waiting = catalog.schedules.values().filter(|schedule| !schedule.suspend);
        let names: Vec<String> = waiting.map(|schedule| schedule.name.clone()).collect();
        if names.is_empty() || Instant::now() < self.next_look {
            return Ok(());
        }
        let looked_at = Instant::now();
        let mut pause = LONGEST;
        for state in self.app.store.schedule_states(&names).await.map_err(|error| text(&error))? {
            let Some(schedule) = catalog.schedules.get(&state.name) else { continue };
            pause = pause.min(until_next(schedule, &state));
            let Some(due) = due(schedule, &state) else { continue };
            let ran = run_due(&self.app, schedule, due).await.unwrap_or_else(|error| {
                // The others have their time, too.
                tracing::warn!(schedule = schedule.name, error, "a schedule could not begin");
                false
            });
            pause = if ran { pause } else { pause.min(RETRY) };
        }
        self.next_look = looked_at + pause;
        Ok(())
    }
}

fn known(schedule: &Schedule) -> KnownSchedule {
    KnownSchedule {
        name: schedule.name.clone(),
        cron: schedule.cron.clone(),
        time_zone: schedule.time_zone.clone(),
        is_suspended: schedule.suspend,
    }
}

fn until_next(schedule: &Schedule, state: &ScheduleState) -> Duration {
    let next = schedule.next_after(state.now);
    let left = next.and_then(|next| Duration::try_from(next.duration_since(state.now)).ok());
    left.unwrap_or(LONGEST)
}

fn text(error: &tarsy_store::Error) -> String {
    tarsy_telemetry::chain(error).to_string()
}

/// Writes down what becomes of a time; false if it is too early to say.
async fn run_due(app: &AppState, schedule: &Schedule, due: Due) -> Result<bool, String> {
    // Without a report of llm-service it is not known which model investigates.
    let Ok(catalog) = app.configuration.for_alerts() else { return Ok(false) };
    let starts = due.outcome == ScheduleRunOutcome::Started;
    let is_full = quotas::full_queue(app).await.map_err(|error| text(&error))?.is_some();
    if starts && is_full {
        tracing::warn!(schedule = schedule.name, "a schedule waits: too many sessions wait");
        return Ok(false);
    }
    let spent = starts
        && quotas::tokens_used_up(app, scope(&schedule.name))
            .await
            .map_err(|error| text(&error))?;
    let outcome = if spent { ScheduleRunOutcome::TokensUsedUp } else { due.outcome };
    let session = match outcome {
        ScheduleRunOutcome::Started => match session(app, &catalog, schedule) {
            Ok(session) => Some(session),
            Err(problem) => return Err(format!("schedule {}: {problem:?}", schedule.name)),
        },
        _ => None,
    };
    let run = NewScheduleRun {
        schedule: schedule.name.clone(),
        due_at: Some(due.at),
        outcome,
        requested_by: None,
        notify: schedule.notify.as_str(),
    };
    add(app, run, session).await.map_err(|error| text(&error))?;
    Ok(true)
}

/// Writes a run down, and has its session investigated. None if another instance did it before.
async fn add(
    app: &AppState,
    run: NewScheduleRun,
    session: Option<NewSession>,
) -> Result<Option<SessionId>, tarsy_store::Error> {
    let (name, outcome) = (run.schedule.clone(), run.outcome);
    let id = session.as_ref().map(|session| session.id);
    let Some(events) = app.store.add_schedule_run(run, session).await? else { return Ok(None) };
    tracing::info!(schedule = name, outcome = outcome.as_str(), "a schedule's time has come");
    metrics::schedule_run(outcome);
    app.publisher.publish(events);
    if let Some(id) = id {
        app.notices.send(Notice::SessionCreated(id));
    }
    Ok(id)
}

/// Begins a run because a person asks for it.
pub(crate) async fn run_now(
    app: &AppState,
    schedule: &Schedule,
    person: String,
) -> Result<SessionId, Problem> {
    let catalog = app.configuration.for_alerts()?;
    let session = session(app, &catalog, schedule)?;
    let id = session.id;
    let run = NewScheduleRun {
        schedule: schedule.name.clone(),
        due_at: None,
        outcome: ScheduleRunOutcome::Started,
        requested_by: Some(person),
        notify: schedule.notify.as_str(),
    };
    add(app, run, Some(session)).await?;
    Ok(id)
}

/// The next times of a schedule, as its page shows them.
pub(crate) fn next_runs(schedule: &Schedule, now: Timestamp, most: usize) -> Vec<Timestamp> {
    if schedule.suspend {
        return Vec::new();
    }
    std::iter::successors(schedule.next_after(now), |last| schedule.next_after(*last))
        .take(most)
        .collect()
}

/// The session of a schedule, read as an alert over REST is.
fn session(app: &AppState, catalog: &Catalog, schedule: &Schedule) -> Result<NewSession, Problem> {
    let mut labels = schedule.labels.clone();
    labels.insert("schedule".to_owned(), schedule.name.clone());
    let body = json!({
        "data": schedule.text,
        "alert_type": schedule.alert_type,
        "title": schedule.title(),
        "severity": schedule.severity,
        "labels": labels,
        "runbook": schedule.runbook,
        // Its runs are about the same.
        "fingerprint": scope(&schedule.name),
    });
    let accepted = submission::read(&body, None, catalog, Sender::Trusted)
        .map_err(|errors: Vec<FieldError>| Problem::invalid(errors))?;
    let sender = SenderOf { author: scope(&schedule.name), principal: scope(&schedule.name) };
    intake::session(app, accepted, sender)
}
