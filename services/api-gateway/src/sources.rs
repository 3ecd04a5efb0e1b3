//! Alert sources: verifies and maps what they send, and has the store decide about each alert.

mod certificates;
mod held;
mod masked;
mod text;

use std::collections::BTreeMap;
use std::sync::Arc;

use tarsy_catalog::{Catalog, Intake, ResolvedChain};
use tarsy_domain::code::Code;
use tarsy_domain::id::SessionId;
use tarsy_intake::{
    Alert, Envelope, Group, Policy, Received, Refusal, Route, Rule, Secrets, Source, Status,
    group_of, route,
};
use tarsy_store::{Conflict, Error as StoreError, NewAlert, NewAlerts, NewSession, ReceivedAlerts};
use tarsy_web::{FieldError, Problem};

pub(crate) use self::certificates::Certificates;
pub(crate) use self::held::start;
use crate::configuration::Configuration;
use crate::metrics;
use crate::notices::Notice;
use crate::quotas;
use crate::state::AppState;
use crate::submission;

/// What became of a request of a source.
#[derive(Debug)]
pub(crate) enum Outcome {
    Alerts {
        group: Group,
        received: ReceivedAlerts,
    },
    /// A confirmed subscription, a test of the connection, or an event that changes no alert.
    NoAlerts,
}

/// Verifies a request of a source and stores its alerts.
pub(crate) async fn receive(
    app: &AppState,
    name: &str,
    envelope: Envelope<'_>,
    body: &[u8],
) -> Result<Outcome, Problem> {
    let catalog = app.configuration.for_alerts()?;
    let Some(source) = catalog.intake.source(name) else {
        let name = tarsy_web::extract::truncated(name);
        tracing::debug!(source = name, "there is no such source in intake.sources of tarsy.yaml");
        return Err(unverified());
    };
    let secrets = secrets(app, &catalog.intake, &source, body).await?;
    let received = source
        .receive(envelope, body, &secrets, app.clock.now())
        .map_err(|error| refused(&source, &error))?;
    match received {
        Received::Ignored(why) => {
            tracing::debug!(source = name, ?why, "a request without alerts");
            Ok(Outcome::NoAlerts)
        }
        Received::Confirm(confirmation) => {
            app.certificates.confirm(&confirmation.url).await?;
            tracing::info!(
                source = name,
                topic = confirmation.topic,
                "a subscription is confirmed"
            );
            Ok(Outcome::NoAlerts)
        }
        Received::Alerts(group) => {
            let mut sorter = Sorter::new(&catalog, name);
            let alerts = group.alerts.iter().map(|alert| sorter.sort(app, alert.clone()));
            let alerts = alerts.collect::<Result<Vec<_>, _>>()?;
            let received = store(app, name, alerts).await?;
            Ok(Outcome::Alerts { group, received })
        }
    }
}

/// The answer to a sender that is not verified, and to one that names a source which is not there: nobody learns by it
/// which sources there are, and how they are verified.
fn unverified() -> Problem {
    Problem::new(
        Code::Unauthenticated,
        "no alert source verifies this sender; the log of api-gateway has the reason, and intake.sources of tarsy.yaml \
         the sources",
    )
}

/// What the request is verified with.
async fn secrets(
    app: &AppState,
    intake: &Intake,
    source: &Source,
    body: &[u8],
) -> Result<Secrets, Problem> {
    if let Some(url) = source.certificate_url(body).map_err(|error| refused(source, &error))? {
        return app.certificates.get(&url).await.map(Secrets::certificate);
    }
    let variable = intake.sources.get(source.name()).and_then(|one| one.secret_env.as_ref());
    let secret = variable.and_then(|name| app.environment.get(name)).map(|text| text.trim());
    Ok(Secrets::of(secret))
}

fn refused(source: &Source, refusal: &Refusal) -> Problem {
    let text = refusal.to_string();
    match refusal {
        Refusal::Unverified(_) => {
            tracing::warn!(source = source.name(), reason = text, "a request is refused");
            unverified()
        }
        Refusal::Malformed(_) => Problem::invalid(vec![FieldError::new("body", text)]),
        Refusal::TooLarge { .. } => Problem::too_large(text),
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
) -> Result<ReceivedAlerts, Problem> {
    let begins_none = |new: &&NewAlert| new.alert.status != Status::Firing;
    let over: Vec<NewAlert> = alerts.iter().filter(begins_none).cloned().collect();
    let kept = decide(app, name, alerts).await;
    if matches!(kept, Err(NotKept::Store(StoreError::Conflict(Conflict::QueueFull))))
        && !over.is_empty()
    {
        decide(app, name, over).await?;
    }
    Ok(kept?)
}

/// Why alerts are not kept.
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
    let chains = chains(&app.configuration, &alerts)?;
    let received = app.store.receive_alerts(new, |places| session(name, &alerts, places, &chains));
    let received = received.await?;
    for outcome in &received.outcomes {
        metrics::received(name, outcome.decision.action.as_str(), outcome.is_repeat);
    }
    app.publisher.publish(received.events.clone());
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
fn chains(configuration: &Configuration, alerts: &[NewAlert]) -> Result<Chains, Problem> {
    let catalog = configuration.for_alerts()?;
    let mut chains = Chains::new();
    for new in alerts {
        if !chains.contains_key(&new.alert_type) {
            let chain = resolve(&catalog, Some(&new.alert_type))?;
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
