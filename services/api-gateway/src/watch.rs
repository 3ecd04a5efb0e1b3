//! Raises warnings about services with different configurations or wrong clocks, runbooks without a token, dead
//! letters, providers that cannot be called, an issuer that cannot be reached, and limits that are reached; one
//! instance does it for all.

mod limits;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use tarsy_bus::Error;
use tarsy_catalog::ProviderState;
use tarsy_contracts::status::{Instance, STORAGE_WARNING, Warning};
use tarsy_contracts::topology;
use tarsy_service::{ServiceContext, set_warning as write_warning};
use tarsy_store::NewAuditEntry;
use uuid::Uuid;

use crate::access::Oidc;
use crate::copies;
use crate::metrics;
use crate::state::AppState;

/// The name of the leadership.
const JOB: &str = "system-watch";
const INTERVAL: Duration = Duration::from_secs(10);
/// The most dead letters that are counted.
const MAX_COUNTED: i64 = 1_000;

/// The ids of the warnings, which are their keys.
const CONFIG: &str = "config.mismatch";
const CLOCKS: &str = "clock.offset";
const DEAD: &str = "dead_letters.waiting";
const RUNBOOKS: &str = "runbooks.token";
const ISSUER: &str = "access.issuer";
const PENDING: &str = "sessions.pending";
const TOKENS: &str = "budget.tokens";
const NOT_UNDERSTOOD: &str = "intake.not_understood";
const LLM_SERVICE: &str = "llm.service";
const PROVIDERS: &str = "llm.providers";

const NO_JETSTREAM: &str = "JetStream does not answer. Alerts are still accepted and investigated; live views and tool \
    servers' states are late. If nats-server's log says that JetStream was disabled, free space on the disk of its \
    store and restart it.";

/// Starts the checks; they run until the service stops.
pub(crate) fn start(app: &AppState, service: &ServiceContext) {
    let (app, stopping) = (app.clone(), service.stopping());
    service.spawn_aux("gateway.watch", async move {
        let mut tick = tokio::time::interval(INTERVAL);
        tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                _ = tick.tick() => {}
                () = stopping.cancelled() => return,
            }
            count_waiting(&app).await;
            if !app.bus.is_connected() {
                continue;
            }
            check_storage(&app).await;
            if let Err(error) = check(&app).await {
                tracing::debug!(error = %tarsy_telemetry::chain(&error), "could not check the system");
            }
        }
    });
}

/// Every instance counts for all, so that the number does not depend on who leads.
async fn count_waiting(app: &AppState) {
    if !app.database_is_up() {
        return;
    }
    if let Ok(sessions) = app.store.count_pending_sessions().await {
        metrics::sessions_pending(sessions);
    }
    if let Ok(sessions) = app.store.count_suspended_sessions().await {
        metrics::sessions_waiting_for_approval(sessions);
    }
}

/// Reports, as a part of the readiness, what the provisioner found. Without the streams nothing stops: rows are polled,
/// and live views are late.
async fn check_storage(app: &AppState) {
    let warning = app.bus.kv(&topology::WARNINGS).get::<Warning>(STORAGE_WARNING).await;
    let state = match warning {
        Ok(None) => Ok(()),
        Ok(Some(warning)) => Err(warning.details),
        Err(error) => {
            tracing::debug!(error = %tarsy_telemetry::chain(&error), "could not read the warnings");
            Err(NO_JETSTREAM.to_owned())
        }
    };
    app.health.set("jetstream", false, state);
}

async fn check(app: &AppState) -> Result<(), Error> {
    if !app.bus.kv(&topology::LEADERS).acquire_leadership(JOB).await? {
        return Ok(());
    }
    let instances = app.bus.kv(&topology::INSTANCES).entries::<Instance>().await?;
    set_warning(app, CONFIG, "Services run with different configurations.", mismatch(&instances))
        .await?;
    set_warning(app, CLOCKS, "The clocks of services differ.", wrong_clocks(&instances)).await?;
    set_warning(app, RUNBOOKS, "The runbook repository is read without a token.", token(app))
        .await?;
    let no_answer = app.configuration.no_answer();
    set_warning(
        app,
        LLM_SERVICE,
        "llm-service does not report which providers are usable.",
        no_answer,
    )
    .await?;
    let unusable = app.configuration.providers().and_then(|states| unusable(&states));
    set_warning(
        app,
        PROVIDERS,
        "The configuration names providers that cannot be called.",
        unusable,
    )
    .await?;
    let issuer = app.authenticator.oidc().and_then(Oidc::problem);
    set_warning(app, ISSUER, "Nobody can sign in.", issuer).await?;
    if app.database_is_up() {
        note_expired_sign_ins(app).await;
        copies::remove_of_deleted(app).await;
    }
    if app.database_is_up() {
        set_warning(app, PENDING, "Alerts are refused.", limits::queue_is_full(app).await).await?;
        let tokens = limits::tokens_used_up(app).await;
        set_warning(app, TOKENS, "The tokens of this day are used up.", tokens).await?;
    }
    if app.database_is_up()
        && let Ok(counts) = app.store.count_not_understood().await
    {
        set_warning(
            app,
            NOT_UNDERSTOOD,
            "Requests of alert sources are not understood.",
            not_understood(&counts),
        )
        .await?;
    }
    if app.database_is_up()
        && let Ok(letters) = app.store.list_dead_letters(MAX_COUNTED).await
    {
        let waiting = (!letters.is_empty()).then(|| {
            let count = letters.len();
            format!("{count} waiting; `tarsy dead list` shows them, `tarsy dead retry` sends them again.")
        });
        set_warning(app, DEAD, "Messages could not be handled and are dead letters.", waiting)
            .await?;
    }
    Ok(())
}

/// Adds each sign-in that expired to the audit log.
async fn note_expired_sign_ins(app: &AppState) {
    // Later, while the audit log takes nothing.
    if app.audit.reserve().await.is_err() {
        return;
    }
    let Ok(expired) = app.store.end_expired_sign_ins().await else { return };
    for sign_in in expired {
        let Ok(place) = app.audit.reserve().await else {
            tracing::error!(sign_in = %sign_in.id, "the audit log has no place for the end of a sign-in");
            continue;
        };
        place.add(NewAuditEntry {
            id: Uuid::now_v7(),
            principal: sign_in.user_name,
            credential: format!("sign_in:{}", sign_in.id),
            client_address: sign_in.client_address,
            action: "expire_sign_in".to_owned(),
            object: None,
            outcome: "allowed",
            status: 200,
            request_id: None,
            count: 1,
            session_id: None,
            decided: None,
        });
    }
}

/// Describes the token that the configured runbook repository lacks.
fn token(app: &AppState) -> Option<String> {
    let catalog = app.catalog();
    let url = catalog.system.runbooks.repo_url.as_ref()?;
    let variable = &catalog.system.github.token_env;
    app.runbooks.lacks_token().then(|| {
        format!(
            "{url}: GitHub answers few requests without a token, and none for a private repository. Set {variable} \
             for api-gateway and orchestrator, and restart them."
        )
    })
}

/// Describes the providers that the configuration names and that cannot be called.
fn unusable(states: &[ProviderState]) -> Option<String> {
    let described: Vec<String> = states
        .iter()
        .filter_map(|state| {
            let (key, reason) = (state.named_at.as_ref()?, state.unusable.as_ref()?);
            Some(format!("{} ({key}): {reason}", state.name))
        })
        .collect();
    (!described.is_empty()).then(|| {
        format!(
            "{}. Set the variables for llm-service and restart it, or name other providers.",
            described.join("; ")
        )
    })
}

/// Describes the sources that sent what no alert could be read from.
fn not_understood(counts: &[(String, i64)]) -> Option<String> {
    let counts: Vec<_> = counts.iter().map(|(source, many)| format!("{source}: {many}")).collect();
    (!counts.is_empty()).then(|| {
        format!(
            "In the last 24 hours, of {}. Received alerts shows the reasons; correct what the source sends, or its kind or \
             mapping in intake.sources.",
            counts.join(", ")
        )
    })
}

/// Describes which instances loaded which configuration, if they differ.
fn mismatch(instances: &[Instance]) -> Option<String> {
    let mut loaded: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for one in instances.iter().filter(|one| !one.config_hash.is_empty()) {
        let name = format!("{} {}", one.service, one.instance);
        loaded.entry(&one.config_hash).or_default().insert(name);
    }
    if loaded.len() < 2 {
        return None;
    }
    let groups: Vec<String> = loaded
        .into_iter()
        .map(|(hash, names)| {
            let names: Vec<String> = names.into_iter().collect();
            format!("{hash}: {}", names.join(", "))
        })
        .collect();
    Some(format!("Restart those that have the older one. {}.", groups.join("; ")))
}

/// Describes the instances whose clocks are wrong. Rounded to minutes, so that the text stays the same.
fn wrong_clocks(instances: &[Instance]) -> Option<String> {
    let wrong = instances.iter().filter_map(|one| {
        let offset = one.clock_error_ms()?;
        let direction = if offset > 0 { "ahead" } else { "behind" };
        let minutes = (offset.unsigned_abs() + 30_000) / 60_000;
        Some(format!("{} {} is {minutes} min {direction}", one.service, one.instance))
    });
    let wrong: BTreeSet<String> = wrong.collect();
    (!wrong.is_empty()).then(|| {
        let wrong: Vec<String> = wrong.into_iter().collect();
        format!(
            "Compared with PostgreSQL's: {}. Time limits and leases are not affected, times in logs are. \
             Synchronize the clocks of these machines (NTP).",
            wrong.join(", ")
        )
    })
}

/// Raises a warning, updates its details, or clears it.
async fn set_warning(
    app: &AppState,
    id: &str,
    message: &str,
    details: Option<String>,
) -> Result<(), Error> {
    write_warning(&app.bus, app.clock.as_ref(), id, details.map(|details| (message, details))).await
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
            clock_offset_ms: None,
        }
    }

    #[test]
    fn two_configurations_are_a_mismatch_that_names_their_instances() {
        let same = [instance("a", "1"), instance("b", "1"), instance("relay", "")];
        assert_eq!(mismatch(&same), None);
        let text = mismatch(&[instance("a", "1"), instance("b", "2")]).unwrap();
        assert!(text.contains("1: orchestrator a; 2: orchestrator b"), "{text}");
    }

    #[test]
    fn clocks_that_differ_by_more_than_half_a_minute_are_named_with_their_direction() {
        let with =
            |name: &str, offset| Instance { clock_offset_ms: Some(offset), ..instance(name, "1") };
        assert_eq!(
            wrong_clocks(&[instance("a", "1"), with("b", 29_000), with("c", -30_000)]),
            None
        );
        let text = wrong_clocks(&[with("a", 3_600_100), with("b", -31_000)]).unwrap();
        let expected = "orchestrator a is 60 min ahead, orchestrator b is 1 min behind.";
        assert!(text.contains(expected), "{text}");
    }
}
