//! Watches over what one instance watches for all: services that loaded different configurations, and
//! messages that nobody could handle.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use tarsy_bus::Error;
use tarsy_contracts::status::{Instance, Warning};
use tarsy_contracts::topology;
use tarsy_service::ServiceContext;

use crate::app::App;

/// The job that one instance does for all.
const JOB: &str = "system-watch";
const EVERY: Duration = Duration::from_secs(10);
/// How many dead letters are counted.
const COUNTED: i64 = 1_000;

/// The ids of the warnings, which are their keys.
const CONFIG: &str = "config.mismatch";
const DEAD: &str = "dead_letters.waiting";

/// Watches until the service stops.
pub(crate) fn begin(app: &App, service: &ServiceContext) {
    let (app, stopping) = (app.clone(), service.stopping());
    service.spawn_aux("gateway.watch", async move {
        let mut tick = tokio::time::interval(EVERY);
        loop {
            tokio::select! {
                _ = tick.tick() => {}
                () = stopping.cancelled() => return,
            }
            if !app.bus.is_connected() {
                continue;
            }
            if let Err(error) = look(&app).await {
                tracing::debug!(error = %tarsy_telemetry::chain(&error), "could not look after the system");
            }
        }
    });
}

async fn look(app: &App) -> Result<(), Error> {
    if !app.bus.kv(&topology::LEADERS).acquire_leadership(JOB).await? {
        return Ok(());
    }
    let mismatch = mismatch(&app.bus.kv(&topology::INSTANCES).entries::<Instance>().await?);
    settle(app, CONFIG, "Services run with different configurations.", mismatch).await?;
    if app.database_is_up()
        && let Ok(letters) = app.store.list_dead_letters(COUNTED).await
    {
        let waiting = (!letters.is_empty()).then(|| {
            let count = letters.len();
            format!("{count} waiting; `tarsy dead list` shows them, `tarsy dead retry` sends them again.")
        });
        settle(app, DEAD, "Messages could not be handled and were put aside.", waiting).await?;
    }
    Ok(())
}

/// Who loaded what, if that is not one and the same.
fn mismatch(instances: &[Instance]) -> Option<String> {
    let mut loaded: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for one in instances.iter().filter(|one| !one.config_hash.is_empty()) {
        let name = format!("{} {}", one.service, one.instance);
        loaded.entry(&one.config_hash).or_default().insert(name);
    }
    if loaded.len() < 2 {
        return None;
    }
    let told: Vec<String> = loaded
        .into_iter()
        .map(|(hash, names)| {
            let names: Vec<String> = names.into_iter().collect();
            format!("{hash}: {}", names.join(", "))
        })
        .collect();
    Some(format!("Restart those that have the older one. {}.", told.join("; ")))
}

/// Raises a warning, brings its details up to date, or clears it.
async fn settle(app: &App, id: &str, message: &str, details: Option<String>) -> Result<(), Error> {
    let warnings = app.bus.kv(&topology::WARNINGS);
    let raised: Option<Warning> = warnings.get(id).await?;
    match (details, raised) {
        (None, None) => Ok(()),
        (None, Some(_)) => warnings.delete(id).await,
        (Some(details), Some(raised)) if raised.details == details => Ok(()),
        (Some(details), raised) => {
            let warning = Warning {
                id: id.to_owned(),
                category: id.split('.').next().unwrap_or(id).to_owned(),
                message: message.to_owned(),
                details,
                server_id: None,
                created_at: raised.map_or_else(|| app.clock.now(), |raised| raised.created_at),
            };
            warnings.put(id, &warning).await
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;

    fn instance(name: &str, hash: &str) -> Instance {
        Instance {
            service: "orchestrator".to_owned(),
            instance: name.to_owned(),
            version: "1".to_owned(),
            config_hash: hash.to_owned(),
            capacity: 1,
            load: 0,
            seen_at: Timestamp::UNIX_EPOCH,
        }
    }

    #[test]
    fn one_configuration_is_no_mismatch_and_two_are_told_with_who_has_them() {
        let same = [instance("a", "1"), instance("b", "1"), instance("relay", "")];
        assert_eq!(mismatch(&same), None);
        let told = mismatch(&[instance("a", "1"), instance("b", "2")]).unwrap();
        assert!(told.contains("1: orchestrator a; 2: orchestrator b"), "{told}");
    }
}
