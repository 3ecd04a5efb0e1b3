//! `tarsy intake`: what alert sources send, without a server.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, bail, ensure};
use clap::Subcommand;
use http::{HeaderMap, HeaderName, HeaderValue};
use jiff::Timestamp;
use serde::Serialize;
use tarsy_catalog::{Catalog, Env};
use tarsy_domain::clock::{Clock as _, SystemClock};
use tarsy_intake::{
    Alert, Decision, Group, Ignored, Known, MAX_BODY_BYTES, Policy, Received, Route, decide, route,
};
use tarsy_service::Settings;

use crate::output::{self, Format};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Shows how a payload would be mapped and routed. Nothing is sent, and its sender is not verified.
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

/// An alert, what the rules make of it, and what would become of it if nothing was known of it.
#[derive(Debug, Serialize)]
struct Tested {
    alert: Alert,
    alert_type: Option<String>,
    severity: Option<String>,
    runbook: Option<String>,
    rule: Option<String>,
    #[serde(skip)]
    explanation: String,
    decision: Decision,
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
    let group = match configured.preview(&headers, &payload(file)?)? {
        Received::Alerts(group) => group,
        Received::Confirm(confirmation) => {
            output::line(&format!(
                "a confirmation of the subscription to {}; TARSy would open {}",
                confirmation.topic, confirmation.url
            ));
            return Ok(ExitCode::SUCCESS);
        }
        Received::Ignored(why) => {
            output::line(&format!("no alert: {}", ignored(&why)));
            return Ok(ExitCode::SUCCESS);
        }
    };
    let default = catalog.intake.sources.get(source).and_then(|one| one.alert_type.as_deref());
    let rules = catalog.intake.compiled_rules();
    let now = SystemClock.now();
    let tested: Vec<Tested> = group
        .alerts
        .iter()
        .map(|alert| tested(alert, route(&rules, default, alert), now))
        .collect();
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

fn tested(alert: &Alert, route: Route, now: Timestamp) -> Tested {
    let decision = decide(&Policy::default(), &Known::default(), alert, now);
    let explanation = route.to_string();
    let Route { alert_type, severity, runbook, rule, .. } = route;
    Tested { alert: alert.clone(), alert_type, severity, runbook, rule, explanation, decision }
}

fn print(group: &Group, tested: &[Tested]) {
    for (number, one) in (1..).zip(tested) {
        if number > 1 {
            output::line("");
        }
        let alert = &one.alert;
        output::line(&format!("{number}. {} ({})", alert.title, alert.status.as_str()));
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
            ("group", alert.group_key.clone()),
            ("start", time(alert.starts_at)),
            ("end", time(alert.ends_at)),
            ("alert type", one.alert_type.clone().or_else(|| Some("the default one".to_owned()))),
            ("runbook", one.runbook.clone()),
            ("if nothing is known of it", Some(decided(&one.decision))),
        ];
        for (name, value) in fields.iter().filter_map(|(name, value)| Some((name, value.as_ref()?)))
        {
            output::line(&format!("   {name}: {value}"));
        }
        for line in one.explanation.lines() {
            output::line(&format!("   rule: {line}"));
        }
    }
    if group.left_out > 0 {
        output::line(&format!("the source left out {} more", group.left_out));
    }
}

/// Of an alert of which nothing is known.
fn decided(decision: &Decision) -> String {
    match &decision.action {
        tarsy_intake::Action::Open => "it begins a session".to_owned(),
        tarsy_intake::Action::Hold { until } => format!("it waits until {until}"),
        _ => "it is stored".to_owned(),
    }
}
