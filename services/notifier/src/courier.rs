//! Sends what is due: claims a row, tries, and writes down what became of it.

use std::collections::HashMap;
use std::time::Duration;

use rand::Rng as _;
use tarsy_domain::status::SessionStatus;
use tarsy_store::{Notification, NotificationKind, NotificationOutcome};
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

use crate::app::App;
use crate::channels::Outcome;
use crate::metrics;
use crate::warnings::Warnings;

/// Messages on their way at once.
const AT_ONCE: usize = 8;
/// How long a row belongs to who claimed it.
const LEASE: Duration = Duration::from_secs(30);
/// How long one try may take; well below the lease, so that two never send the same at once.
const TRY: Duration = Duration::from_secs(20);
/// How often the table is looked at for what is due.
const LOOK: Duration = Duration::from_secs(1);
/// How often a message may fail before it is given up: about three quarters of an hour.
const TRIES: i32 = 14;
/// When it is given up although it never failed in earnest.
const TOO_OLD: Duration = Duration::from_hours(24);
const LONGEST_PAUSE: Duration = Duration::from_mins(10);

/// Sends until the stop; what is on its way then is seen out.
pub(crate) async fn run(app: App, stop: CancellationToken, hard: CancellationToken) {
    let mut resting: HashMap<String, Instant> = HashMap::new();
    let mut warnings = Warnings::new(&app);
    // Tasks of their own: while one's end is written down, the others' time goes on.
    let mut under_way: JoinSet<(Notification, Outcome)> = JoinSet::new();
    loop {
        let room = AT_ONCE - under_way.len();
        if room > 0 && !stop.is_cancelled() {
            for note in claim(&app, &mut resting, room).await {
                under_way.spawn(deliver(app.clone(), note).in_current_span());
            }
        }
        if under_way.is_empty() && stop.is_cancelled() {
            return;
        }
        tokio::select! {
            () = hard.cancelled() => return,
            Some(tried) = under_way.join_next() => {
                let (note, outcome) = match tried {
                    Ok(tried) => tried,
                    Err(error) => {
                        tracing::error!(%error, "a try broke off; it is looked for when its claim ends");
                        continue;
                    }
                };
                if let Outcome::Busy { pause, .. } = &outcome {
                    // The whole destination asked for a rest, not this message.
                    resting.insert(note.destination.clone(), Instant::now() + *pause);
                }
                settle(&app, &mut warnings, &note, outcome).await;
            }
            () = stop.cancelled(), if under_way.is_empty() => return,
            () = app.written.notified(), if under_way.len() < AT_ONCE => {}
            () = tokio::time::sleep(LOOK), if under_way.len() < AT_ONCE => {}
        }
    }
}

async fn claim(
    app: &App,
    resting: &mut HashMap<String, Instant>,
    room: usize,
) -> Vec<Notification> {
    resting.retain(|_, until| Instant::now() < *until);
    let awake: Vec<String> =
        app.names().into_iter().filter(|name| !resting.contains_key(name)).collect();
    let room = i64::try_from(room).unwrap_or(i64::MAX);
    match app.store.claim_notifications(&awake, room, LEASE).await {
        Ok(claimed) => claimed,
        Err(error) => {
            tracing::debug!(error = %tarsy_telemetry::chain(&error), "nothing claimed");
            Vec::new()
        }
    }
}

async fn deliver(app: App, note: Notification) -> (Notification, Outcome) {
    let over = note.status != SessionStatus::InProgress;
    if note.kind == NotificationKind::Started && over {
        return (note, Outcome::Senseless);
    }
    let Some(channel) = app.channels.get(&note.destination) else {
        return (note, Outcome::Senseless);
    };
    let tried = timeout(TRY, channel.deliver(&app.store, &*app.clock, &note)).await;
    let outcome = tried.unwrap_or_else(|_| Outcome::Failed("it took too long".to_owned()));
    (note, outcome)
}

async fn settle(app: &App, warnings: &mut Warnings, note: &Notification, outcome: Outcome) {
    metrics::tried(&note.destination, outcome.word());
    let age = app.clock.now().duration_since(note.created_at);
    let too_old = Duration::try_from(age).is_ok_and(|age| age > TOO_OLD);
    let told = match outcome {
        Outcome::Superseded => return,
        Outcome::Senseless => NotificationOutcome::Skipped,
        Outcome::Sent(external_ref) => {
            tracing::info!(session.id = %note.session_id, to = note.destination, "told");
            warnings.well(&note.destination).await;
            NotificationOutcome::Sent { external_ref }
        }
        Outcome::Busy { error, .. } if too_old => NotificationOutcome::Exhausted { error },
        Outcome::Busy { pause, error } => {
            NotificationOutcome::Retry { error, pause, counts: false }
        }
        Outcome::Failed(error) if too_old || note.failures + 1 >= TRIES => {
            NotificationOutcome::Exhausted { error }
        }
        Outcome::Failed(error) => {
            NotificationOutcome::Retry { error, pause: pause(note.failures), counts: true }
        }
        Outcome::Refused(error) => NotificationOutcome::Exhausted { error },
    };
    match &told {
        NotificationOutcome::Retry { error, counts: true, .. } => {
            tracing::warn!(session.id = %note.session_id, to = note.destination, error, "not told yet");
            if note.failures >= 2 {
                warnings.unwell(&note.destination, error).await;
            }
        }
        NotificationOutcome::Exhausted { error } => {
            tracing::error!(
                session.id = %note.session_id, to = note.destination, error,
                "never told; see the dead letters"
            );
            warnings.unwell(&note.destination, error).await;
        }
        NotificationOutcome::Retry { .. }
        | NotificationOutcome::Sent { .. }
        | NotificationOutcome::Skipped => {}
    }
    // What is not written down now is claimed again when the lease is over, and looked for then.
    if let Err(error) = app.store.finish_notification(note.id, note.claim, told).await {
        tracing::warn!(error = %tarsy_telemetry::chain(&error), "not written down");
    }
}

/// Longer and longer, not in step with others.
fn pause(failures: i32) -> Duration {
    let doublings = u32::try_from(failures).unwrap_or_default().min(16);
    let base = Duration::from_secs(1 << doublings).min(LONGEST_PAUSE);
    base.mul_f64(rand::rng().random_range(0.8..1.2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_to_ten_minutes_and_all_tries_fit_into_an_hour() {
        let pauses: Vec<Duration> = (0..TRIES - 1).map(pause).collect();
        assert!(pauses[0] < Duration::from_secs(2));
        assert!(pauses.iter().all(|pause| *pause <= LONGEST_PAUSE.mul_f64(1.2)));
        assert!(pauses.iter().sum::<Duration>() < Duration::from_hours(1));
        assert!(pause(i32::MAX) >= LONGEST_PAUSE.mul_f64(0.8));
    }

    #[test]
    fn a_try_ends_well_before_its_claim() {
        assert!(TRY + Duration::from_secs(5) <= LEASE);
    }
}
