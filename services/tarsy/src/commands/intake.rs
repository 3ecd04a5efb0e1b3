//! `tarsy intake`: what alert sources send, without a server.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, bail, ensure};
use clap::Subcommand;
use http::{HeaderMap, HeaderName, HeaderValue};
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use tarsy_catalog::{Catalog, Env};
use tarsy_domain::clock::{Clock as _, SystemClock};
use tarsy_intake::{
    Action, Alert, Decision, Group, Ignored, Known, MAX_BODY_BYTES, Policy, QuietHours, Received,
    Route, SessionState, StoredSession, decide, group_of, route,
};
use tarsy_service::Settings;

use crate::output::{self, Format, field};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Shows how a payload would be mapped, routed and decided about. Nothing is sent, its sender is not verified, and alerts
    /// that TARSy received before are not looked at.
    Test {
        /// The source's name in `intake.sources` of tarsy.yaml.
        source: String,
        /// The payload, as the source sends it.
        file: PathBuf,
        /// A header of the request, such as `ce-type: com.example.alert`.
        #[arg(long = "header", value_parser = header)]
        headers: Vec<(HeaderName, HeaderValue)>,
        /// The folder of tarsy.yaml; default: `TARSY_CONFIG_DIR`, or deploy/config.
        #[arg(long)]
        dir: Option<PathBuf>,
    },
}

/// An alert, what the rules make of it, and what would become of it if only the alerts before it in the payload were known.
#[derive(Debug, Serialize)]
struct Tested {
    alert: Alert,
    alert_type: Option<String>,
    severity: Option<String>,
    runbook: Option<String>,
    rule: Option<String>,
    #[serde(skip)]
    explanation: String,
    chain: Option<String>,
    group: Option<String>,
    decision: Decision,
    /// The policy of its chain, in words.
    policy: Vec<String>,
}

/// Sessions that earlier alerts of the payload would begin, by what later ones have in common with them.
#[derive(Default)]
struct Begun {
    by_group: BTreeMap<String, StoredSession>,
    by_fingerprint: BTreeMap<String, StoredSession>,
}

pub(crate) fn run(command: &Command, format: Format) -> anyhow::Result<ExitCode> {
    let Command::Test { source, file, headers, dir } = command;
    let settings = Settings::from_env()?;
    let folder = dir.clone().or_else(|| settings.config_dir.clone());
    let env = Env::of(settings.environment().clone());
    let catalog = Catalog::load_dir(folder.as_deref(), &env)
        .map_err(|report| anyhow::anyhow!("the configuration is not valid\n{report}"))?;
    let known = catalog.intake.sources.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
    let Some(configured) = catalog.intake.source(source) else {
        let known = if known.is_empty() { "none is configured".to_owned() } else { known };
        bail!("intake.sources has no {source:?} ({known}); add it to tarsy.yaml");
    };
    let headers: HeaderMap = headers.iter().cloned().collect();
    let group = match configured.preview(&headers, &payload(file)?, SystemClock.now())? {
        Received::Alerts(group) => group,
        Received::Confirm(confirmation) => {
            output::line(&format!(
                "a confirmation of the subscription to {}; TARSy would open {}",
                field(&confirmation.topic),
                field(confirmation.url.as_str())
            ));
            return Ok(ExitCode::SUCCESS);
        }
        Received::Changes(changes) => {
            for change in &changes {
                let object = change.object.as_deref().unwrap_or_default();
                let (object, text) = (field(object), field(&change.text));
                output::line(&format!("a {} change of {object}: {text}", change.kind));
            }
            return Ok(ExitCode::SUCCESS);
        }
        Received::Dependencies(found) => {
            output::line(&format!("{} dependencies; no alert comes of them", found.len()));
            return Ok(ExitCode::SUCCESS);
        }
        Received::Ignored(why) => {
            output::line(&format!("no alert: {}", ignored(&why)));
            return Ok(ExitCode::SUCCESS);
        }
    };
    let tested = test(&catalog, source, &group, SystemClock.now());
    if format.is_json() {
        output::document(&tested)?;
    } else {
        print(&group, &tested);
    }
    Ok(ExitCode::SUCCESS)
}

/// A header as `curl` takes it.
fn header(text: &str) -> Result<(HeaderName, HeaderValue), String> {
    let (name, value) = text.split_once(':').ok_or("write NAME: VALUE")?;
    let name = name.trim().parse().map_err(|error| format!("the name is wrong: {error}"))?;
    let value = value.trim().parse().map_err(|error| format!("the value is wrong: {error}"))?;
    Ok((name, value))
}

fn payload(file: &Path) -> anyhow::Result<Vec<u8>> {
    let name = file.display();
    let size = std::fs::metadata(file).with_context(|| format!("could not read {name}"))?.len();
    let most = MAX_BODY_BYTES as u64;
    ensure!(size <= most, "{name} has {size} bytes; a request may have {most}");
    std::fs::read(file).with_context(|| format!("could not read {name}"))
}

fn ignored(why: &Ignored) -> String {
    match why {
        Ignored::Ping => "a test of the connection".to_owned(),
        Ignored::Event(kind) => format!("{kind} changes no alert"),
        Ignored::Empty => "the group is empty".to_owned(),
    }
}

fn test(catalog: &Catalog, source: &str, group: &Group, now: Timestamp) -> Vec<Tested> {
    let default = catalog.intake.sources.get(source).and_then(|one| one.alert_type.as_deref());
    let rules = catalog.intake.compiled_rules();
    let mut begun = Begun::default();
    let alerts = (1..).zip(&group.alerts);
    alerts
        .map(|(number, alert)| {
            let route = route(&rules, default, alert);
            let chain = catalog.resolve_chain(route.alert_type.as_deref(), None).ok();
            let chain = chain.map(|chain| chain.chain_id);
            let policy = catalog.intake_policy(chain.as_deref().unwrap_or_default());
            let mut alert = alert.clone();
            alert.severity.clone_from(&route.severity);
            let group = group_of(&policy, &alert);
            let decision = begun.decide(&policy, &alert, group.as_deref(), (number, now));
            let explanation = route.to_string();
            let Route { alert_type, severity, runbook, rule, .. } = route;
            let policy = described(&policy);
            Tested {
                alert,
                alert_type,
                severity,
                runbook,
                rule,
                explanation,
                chain,
                group,
                decision,
                policy,
            }
        })
        .collect()
}

impl Begun {
    /// Decides about the alert with this number, now.
    fn decide(
        &mut self,
        policy: &Policy,
        alert: &Alert,
        group: Option<&str>,
        (number, now): (usize, Timestamp),
    ) -> Decision {
        let known = Known {
            same_alert: self.by_fingerprint.get(&alert.fingerprint).cloned(),
            same_group: group.and_then(|group| self.by_group.get(group)).cloned(),
            ..Known::default()
        };
        let decision = decide(policy, &known, alert, now);
        let session = match (&decision.action, decision.action.session()) {
            (Action::Open, _) => Some(number.to_string()),
            (_, session) => session.map(str::to_owned),
        };
        if let Some(id) = session {
            let session = StoredSession {
                id,
                state: SessionState::Pending,
                created_at: now,
                starts_at: alert.starts_at,
                source_id: alert.source_id.clone(),
                others_firing: 0,
            };
            self.by_fingerprint.insert(alert.fingerprint.clone(), session.clone());
            if let Some(group) = group {
                self.by_group.insert(group.to_owned(), session);
            }
        }
        decision
    }
}

/// The policy, a line for each of its parts.
fn described(policy: &Policy) -> Vec<String> {
    let Policy { window, reinvestigate_after, max_per_day, flapping, .. } = policy;
    let mut lines = vec![
        format!(
            "within {window:?} after its session began it belongs to that session, and so do others of its group"
        ),
        format!("it begins at most {max_per_day} sessions a day (UTC)"),
        format!(
            "at most {} alerts a minute are attached to a session",
            policy.max_attached_per_minute
        ),
    ];
    if !policy.group_labels.is_empty() {
        lines.push(format!("a group has the same {}", policy.group_labels.join(", ")));
    }
    if let Some(after) = reinvestigate_after {
        lines.push(format!("it is investigated again if it still fires after {}", span(*after)));
    }
    if flapping.changes > 0 {
        lines.push(format!(
            "after {} changes within {:?} it is only counted",
            flapping.changes, flapping.within
        ));
    }
    lines.extend(policy.quiet_hours.iter().map(quiet));
    lines
}

fn span(duration: Duration) -> String {
    SignedDuration::try_from(duration)
        .map_or_else(|_| format!("{duration:?}"), |span| format!("{span:#}"))
}

fn quiet(hours: &QuietHours) -> String {
    let QuietHours { days, from, until, time_zone, except_severities } = hours;
    let days: Vec<String> = days.iter().map(|day| format!("{day:?}")).collect();
    let days = if days.is_empty() { "every day".to_owned() } else { days.join(", ") };
    let zone = time_zone.iana_name().unwrap_or("UTC");
    let except = match except_severities.join(", ") {
        none if none.is_empty() => String::new(),
        some => format!(", except {some}"),
    };
    format!("it waits from {from} until {until} {zone}, {days}{except}")
}

fn print(group: &Group, tested: &[Tested]) {
    for (number, one) in (1..).zip(tested) {
        if number > 1 {
            output::line("");
        }
        let alert = &one.alert;
        output::line(&format!("{number}. {} ({})", field(&alert.title), alert.status.as_str()));
        let time = |time: Option<Timestamp>| time.map(|time| time.to_string());
        let list = |values: Vec<String>| (!values.is_empty()).then(|| values.join(", "));
        let labels = alert.labels.iter().map(|(name, value)| format!("{name}={value}"));
        let links = alert.links.iter().map(|link| link.url.clone());
        let fields = [
            ("severity", one.severity.clone()),
            ("service", alert.service.clone()),
            ("namespace", alert.namespace.clone()),
            ("cluster", alert.cluster.clone()),
            ("labels", list(labels.collect())),
            ("links", list(links.collect())),
            ("fingerprint", Some(alert.fingerprint.clone())),
            ("group", one.group.clone()),
            ("start", time(alert.starts_at)),
            ("end", time(alert.ends_at)),
            ("alert type", one.alert_type.clone().or_else(|| Some("the default one".to_owned()))),
            ("chain", one.chain.clone()),
            ("runbook", one.runbook.clone()),
            ("if TARSy knows nothing else", Some(decided(&one.decision))),
        ];
        for (name, value) in fields.iter().filter_map(|(name, value)| Some((name, value.as_ref()?)))
        {
            output::line(&format!("   {name}: {}", field(value)));
        }
        for line in one.explanation.lines() {
            output::line(&format!("   rule: {}", field(line)));
        }
        for line in &one.policy {
            output::line(&format!("   policy: {}", field(line)));
        }
    }
    if group.left_out > 0 {
        output::line(&format!("the source left out {} more", group.left_out));
    }
}

fn decided(decision: &Decision) -> String {
    let reason = &decision.reason;
    match &decision.action {
        Action::Open => "it begins a session".to_owned(),
        Action::Attach { session } => {
            format!("it belongs to the session that alert {session} begins ({reason})")
        }
        Action::Fold { session } => {
            format!("it is counted with the session that alert {session} begins ({reason})")
        }
        Action::Resolve { session } | Action::Stop { session } => {
            format!("it ends what alert {session} began ({reason})")
        }
        Action::Hold { until } => format!("it waits until {until} ({reason})"),
        Action::Ignore => format!("it is stored ({reason})"),
    }
}
