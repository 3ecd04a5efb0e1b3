//! Has the weekly message sent about what came again. The row of a week is the timer: of several instances the first one that
//! writes it has looked, and a clock that is set back sends nothing twice.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use tarsy_catalog::PreventionMessage;
use tarsy_service::ServiceContext;

use crate::prevention::{Week, compose, period};
use crate::state::AppState;

const INTERVAL: Duration = Duration::from_secs(30);
/// After so long nobody wants to read about the last week any more: TARSy was stopped.
const LATEST: SignedDuration = SignedDuration::from_hours(3 * 24);
const WEEK: SignedDuration = SignedDuration::from_hours(7 * 24);

/// Starts the task; it runs until the service stops.
pub(crate) fn start(app: &AppState, service: &ServiceContext) {
    let (app, stopping) = (app.clone(), service.stopping());
    service.spawn_aux("gateway.weekly", async move {
        let mut tick = tokio::time::interval(INTERVAL);
        tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                _ = tick.tick() => {}
                () = stopping.cancelled() => return,
            }
            if app.database_is_up()
                && let Err(error) = look(&app).await
            {
                let error = tarsy_telemetry::chain(&error);
                tracing::warn!(%error, "the last week could not be looked at");
            }
        }
    });
}

async fn look(app: &AppState) -> Result<(), tarsy_store::Error> {
    let catalog = app.catalog();
    let (message, now) = (&catalog.prevention_message, app.clock.now());
    let Some(week) = due(message, now) else { return Ok(()) };
    let name = week.name();
    if app.store.is_week_known(&name).await? {
        return Ok(());
    }
    let period = period(Some(week), now);
    let found = compose(Some(week), now, period, app.store.find_prevention(period).await?);
    let is_quiet = found.causes.is_empty()
        && found.alerts.is_empty()
        && found.tools.is_empty()
        && found.sources.is_empty();
    let content = (!is_quiet).then_some(&found);
    if app.store.add_week(&name, content, &message.destinations).await? {
        tracing::info!(week = name, is_quiet, "looked at the last week");
    }
    Ok(())
}

/// The week that a message is due about: the one before that of its time.
fn due(message: &PreventionMessage, now: Timestamp) -> Option<Week> {
    let last = message.last_until(now)?;
    (now.duration_since(last) <= LATEST).then(|| Week::of(last - WEEK))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_due_from_its_time_in_its_zone_for_three_days() {
        let message = |destinations: &[&str]| PreventionMessage {
            destinations: destinations.iter().map(|&name| name.to_owned()).collect(),
            cron: "0 9 * * 1".to_owned(),
            time_zone: "America/New_York".to_owned(),
        };
        let week = |message: &PreventionMessage, now: &str| {
            due(message, now.parse().unwrap()).map(Week::name)
        };
        let ops = message(&["ops"]);
        // 9:00 in New York is 14:00 UTC in winter; the clocks are set forward on 2026-03-08.
        assert_eq!(week(&ops, "2026-03-02T13:59:00Z"), None);
        assert_eq!(week(&ops, "2026-03-02T14:00:00Z").as_deref(), Some("2026-W09"));
        assert_eq!(week(&ops, "2026-03-09T13:00:00Z").as_deref(), Some("2026-W10"));
        assert_eq!(week(&ops, "2026-03-12T12:00:00Z").as_deref(), Some("2026-W10"));
        assert_eq!(week(&ops, "2026-03-12T14:00:00Z"), None, "it is too late");
        assert_eq!(week(&message(&[]), "2026-03-09T13:00:00Z"), None, "off by default");
    }
}
