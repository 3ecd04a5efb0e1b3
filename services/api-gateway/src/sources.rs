//! Alert sources: verifies and maps what they send, and has the store decide about each alert.

mod capacity;
mod certificates;
mod count_refused;
mod heartbeats;
mod held;
mod masked;
mod refused;
mod request;

mod text;

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::body::Body;
use tarsy_catalog::{Catalog, ResolvedChain};
use tarsy_contracts::event::TRIAGE_EVENT;
use tarsy_domain::code::Code;
use tarsy_domain::id::SessionId;
use tarsy_domain::triage::Triage;
use tarsy_intake::{Alert, Group, Policy, Received, Route, Rule, Status, group_of, route};
use tarsy_store::{
    Conflict, Error as StoreError, IntakeOutcome, NewAlert, NewAlerts, NewSession, ReceivedAlerts,
};
use tarsy_web::Problem;

pub(crate) use self::capacity::Capacity;
pub(crate) use self::certificates::Certificates;
pub(crate) use self::count_refused::start as start_count_of_refused;
pub(crate) use self::heartbeats::start as start_heartbeats;
pub(crate) use self::held::start as start_held;
pub(crate) use self::refused::Refused;
pub(crate) use self::request::{Request, count_busy};
use crate::changes::{self, RecordedChange};
use crate::metrics;
use crate::notices::Notice;
use crate::quotas;
use crate::state::AppState;
use crate::submission;
use crate::topology;

/// The most alerts that one transaction stores: alerts of others wait for its locks.
const CHUNK: usize = 50;

/// What became of an alert.
#[derive(Debug)]
pub(crate) struct Decided {
    pub(crate) fingerprint: String,
    pub(crate) outcome: IntakeOutcome,
}

/// What is kept of a request.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    /// What became of each alert, in their order.
    pub(crate) alerts: Vec<Decided>,
    pub(crate) changes: Vec<RecordedChange>,
}

/// Stores what a source sent; nothing of what has neither alerts nor changes.
pub(crate) async fn receive(
    app: &AppState,
    request: Request<'_>,
    body: Body,
) -> Result<Kept, Problem> {
    let source = request.source(app)?;
    let name = source.name().to_owned();
    match Box::pin(request.read(app, source, body)).await? {
        Received::Ignored(why) => {
            tracing::debug!(source = name, ?why, "a request without alerts");
            Ok(Kept::default())
        }
        Received::Confirm(confirmation) => {
            app.certificates.confirm(&confirmation.url).await?;
            tracing::info!(
                source = name,
                topic = confirmation.topic,
                "a subscription is confirmed"
            );
            Ok(Kept::default())
        }
        Received::Changes(found) => {
            quotas::admit_changes(app, scope(&name)).await?;
            let changes = changes::record(app, &name, found).await?;
            Ok(Kept { changes, ..Kept::default() })
        }
        Received::Dependencies(found) => {
            quotas::admit_changes(app, scope(&name)).await?;
            topology::record(app, &name, topology::of_source(found)).await?;
            Ok(Kept::default())
        }
        Received::Alerts(group) => {
            Ok(Kept { alerts: store_group(app, &name, group).await?, ..Kept::default() })
        }
    }
}

/// Stores the alerts of a request, some at a time, so that alerts of others are stored meanwhile. What is stored stays if
/// the rest cannot be: the source sends the request again, and these are repeats then.
async fn store_group(app: &AppState, name: &str, group: Group) -> Result<Vec<Decided>, Problem> {
    if group.left_out > 0 {
        tracing::warn!(source = name, left_out = group.left_out, "a request has more alerts");
    }
    let catalog = app.configuration.for_alerts()?;
    let mut sorter = Sorter::new(&catalog, name);
    let mut decided = Vec::with_capacity(group.alerts.len());
    let mut full = None;
    let mut alerts = group.alerts.into_iter().peekable();
    while alerts.peek().is_some() {
        let chunk = alerts.by_ref().take(CHUNK).map(|alert| sorter.sort(app, alert));
        let chunk = chunk.collect::<Result<Vec<_>, _>>()?;
        let keys: Vec<String> = chunk.iter().map(|new| new.alert.fingerprint.clone()).collect();
        match store(app, name, chunk).await {
            Ok(received) => decided.extend(
                keys.into_iter()
                    .zip(received.outcomes)
                    .map(|(fingerprint, outcome)| Decided { fingerprint, outcome }),
            ),
            Err(problem @ NotKept::Store(StoreError::Conflict(Conflict::QueueFull))) => {
                full = Some(problem);
            }
            Err(problem) => return Err(problem.into()),
        }
    }
    match full {
        Some(problem) => Err(problem.into()),
        None => Ok(decided),
    }
}

/// Gives alerts their type, chain and policy.
struct Sorter {
    catalog: Arc<Catalog>,
    rules: Vec<Rule>,
    default_type: Option<String>,
    /// Of the chains of alerts so far.
    policies: BTreeMap<String, Arc<Policy>>,
}

impl Sorter {
    fn new(catalog: &Arc<Catalog>, source: &str) -> Self {
        let intake = &catalog.intake;
        let default_type = intake.sources.get(source).and_then(|one| one.alert_type.clone());
        Self {
            rules: intake.compiled_rules(),
            default_type,
            policies: BTreeMap::new(),
            catalog: Arc::clone(catalog),
        }
    }

    /// The alert as the store gets it: masked, after its rules and its group were looked for in what was sent.
    fn sort(&mut self, app: &AppState, mut alert: Alert) -> Result<NewAlert, Problem> {
        let Route { alert_type, severity, runbook, rule, .. } =
            route(&self.rules, self.default_type.as_deref(), &alert);
        alert.severity = severity;
        let chain = resolve(&self.catalog, alert_type.as_deref())?;
        let policy = self.policy(&chain.chain_id);
        let group = group_of(&policy, &alert).map(|key| {
            if key.starts_with("labels:") { key } else { format!("{}:{key}", alert.source) }
        });
        Ok(NewAlert {
            alert: masked::alert(alert, &app.masker)?,
            group,
            policy,
            alert_type: chain.alert_type,
            chain_id: chain.chain_id,
            rule,
            runbook_url: runbook,
            held: None,
        })
    }

    fn policy(&mut self, chain_id: &str) -> Arc<Policy> {
        let policy = self
            .policies
            .entry(chain_id.to_owned())
            .or_insert_with(|| Arc::new(self.catalog.intake_policy(chain_id)));
        Arc::clone(policy)
    }
}

fn resolve(catalog: &Catalog, alert_type: Option<&str>) -> Result<ResolvedChain, Problem> {
    catalog.resolve_chain(alert_type, None).map_err(|error| {
        tracing::error!(%error, "an alert of a source has no chain");
        Problem::new(Code::Internal, "no chain serves the type of this alert; see intake.rules")
    })
}

/// Has the store decide about alerts. While too many sessions wait, a request that would begin one is refused as a whole,
/// except for what is over or acknowledged, which begins none: the source sends the request again.
async fn store(
    app: &AppState,
    name: &str,
    alerts: Vec<NewAlert>,
) -> Result<ReceivedAlerts, NotKept> {
    let begins_none = |new: &&NewAlert| new.alert.status != Status::Firing;
    let over: Vec<NewAlert> = alerts.iter().filter(begins_none).cloned().collect();
    let kept = decide(app, name, alerts).await;
    if matches!(kept, Err(NotKept::Store(StoreError::Conflict(Conflict::QueueFull))))
        && !over.is_empty()
    {
        decide(app, name, over).await?;
    }
    kept
}

enum NotKept {
    Store(StoreError),
    Problem(Problem),
}

impl From<StoreError> for NotKept {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<Problem> for NotKept {
    fn from(problem: Problem) -> Self {
        Self::Problem(problem)
    }
}

/// A source drops what is refused with another status, and sends this again.
impl From<NotKept> for Problem {
    fn from(why: NotKept) -> Self {
        match why {
            NotKept::Store(StoreError::Conflict(Conflict::QueueFull)) => Self::new(
                Code::Unavailable,
                "too many sessions wait for a worker; alerts that would begin one are not kept, send them again later",
            ),
            NotKept::Store(error) => error.into(),
            NotKept::Problem(problem) => problem,
        }
    }
}

/// Lets the store decide about alerts, then publishes the events and wakes the workers.
async fn decide(
    app: &AppState,
    name: &str,
    alerts: Vec<NewAlert>,
) -> Result<ReceivedAlerts, NotKept> {
    let limits = app.catalog().system.limits;
    let new = NewAlerts {
        source: name.to_owned(),
        pending_sessions: tarsy_catalog::Limits::on(limits.pending_sessions),
        tokens_used_up: quotas::tokens_used_up(app, scope(name)).await?,
        alerts: alerts.clone(),
    };
    let chains = chains(app, &alerts)?;
    let received = app.store.receive_alerts(new, |places| session(name, &alerts, places, &chains));
    let received = received.await?;
    for outcome in &received.outcomes {
        metrics::received(name, outcome.decision.action.as_str(), outcome.is_repeat);
    }
    app.publisher.publish(received.events.clone());
    for event in received.events.iter().filter(|event| event.kind == TRIAGE_EVENT) {
        app.notices.send(Notice::Triage(event.session_id, Triage::New));
    }
    for id in &received.opened {
        app.notices.send(Notice::SessionCreated(*id));
    }
    for id in &received.stopped {
        app.notices.send(Notice::Status(*id, tarsy_domain::status::SessionStatus::Cancelled));
    }
    Ok(received)
}

type Chains = BTreeMap<String, (ResolvedChain, serde_json::Value)>;

/// The chains of the alerts' types, with what their sessions keep of them.
fn chains(app: &AppState, alerts: &[NewAlert]) -> Result<Chains, Problem> {
    let catalog = app.configuration.for_alerts()?;
    let mut chains = Chains::new();
    for new in alerts {
        if !chains.contains_key(&new.alert_type) {
            let mut chain = resolve(&catalog, Some(&new.alert_type))?;
            catalog.promote(&mut chain, app.clock.now());
            let snapshot = serde_json::to_value(&chain).map_err(|error| {
                tracing::error!(%error, "a session's configuration could not be encoded");
                Problem::new(Code::Internal, "the alert could not be encoded")
            })?;
            chains.insert(new.alert_type.clone(), (chain, snapshot));
        }
    }
    Ok(chains)
}

fn scope(source: &str) -> String {
    format!("source:{source}")
}

/// The session that begins with these alerts, the first one of which it is about.
fn session(source: &str, alerts: &[NewAlert], places: &[usize], chains: &Chains) -> NewSession {
    let of: Vec<&NewAlert> = places.iter().filter_map(|place| alerts.get(*place)).collect();
    let first = of.first().copied();
    let chain = first.and_then(|new| chains.get(&new.alert_type));
    let texts: Vec<&Alert> = of.iter().map(|new| &new.alert).collect();
    NewSession {
        id: SessionId::new(),
        alert_data: text::of(&texts),
        alert_type: first.map(|new| new.alert_type.clone()),
        chain_id: first.map(|new| new.chain_id.clone()).unwrap_or_default(),
        author: Some(source.to_owned()),
        principal: Some(scope(source)),
        runbook_url: first.and_then(|new| new.runbook_url.clone()),
        mcp_selection: None,
        requested_provider: None,
        slack_message_fingerprint: None,
        fields: first.map(|new| text::fields(&new.alert)).unwrap_or_default(),
        idempotency: None,
        settings: chain.map(|(chain, _)| submission::settings(chain)).unwrap_or_default(),
        config_snapshot: chain.map(|(_, snapshot)| snapshot.clone()).unwrap_or_default(),
        traceparent: tarsy_telemetry::traceparent(),
    }
}
