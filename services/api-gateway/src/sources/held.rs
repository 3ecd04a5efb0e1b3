//! Decides anew about alerts whose time to wait is over.

use std::sync::Arc;
use std::time::Duration;

use tarsy_service::ServiceContext;
use tarsy_store::{HeldAlert, NewAlert};

use super::{resolve, store};
use crate::state::AppState;

const INTERVAL: Duration = Duration::from_secs(15);
/// How many alerts one round takes.
const MAX_DUE: i64 = 100;

/// Starts the task; it runs until the service stops. Two instances may take the same alert: the second one finds the
/// session of the first.
pub(crate) fn start(app: &AppState, service: &ServiceContext) {
    let (app, stopping) = (app.clone(), service.stopping());
    service.spawn_aux("gateway.held_alerts", async move {
        let mut tick = tokio::time::interval(INTERVAL);
        tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                _ = tick.tick() => {}
                () = stopping.cancelled() => return,
            }
            if app.database_is_up()
                && let Err(error) = release(&app).await
            {
                tracing::warn!(error, "held alerts could not be decided about");
            }
        }
    });
}

async fn release(app: &AppState) -> Result<(), String> {
    let due = app.store.list_due_alerts(MAX_DUE).await;
    let due = due.map_err(|error| tarsy_telemetry::chain(&error).to_string())?;
    for held in due {
        let source = held.alert.source.clone();
        let problem = |problem: tarsy_web::Problem| format!("{problem:?}");
        let alert = again(app, held).map_err(problem)?;
        store(app, &source, vec![alert]).await.map_err(|error| problem(error.into()))?;
    }
    Ok(())
}

/// The chain of its type may be another one by now.
fn again(app: &AppState, held: HeldAlert) -> Result<NewAlert, tarsy_web::Problem> {
    let catalog = app.configuration.for_alerts()?;
    let chain = resolve(&catalog, Some(&held.alert_type)).or_else(|_| resolve(&catalog, None))?;
    Ok(NewAlert {
        group: held.alert.group_key.clone(),
        policy: Arc::new(catalog.intake_policy(&chain.chain_id)),
        alert_type: chain.alert_type,
        chain_id: chain.chain_id,
        rule: held.rule,
        runbook_url: held.runbook_url,
        held: Some(held.id),
        alert: held.alert,
    })
}
