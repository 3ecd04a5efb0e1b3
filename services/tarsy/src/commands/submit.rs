//! `tarsy submit`: submits an alert, and follows it on request.

use std::io::Read as _;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::builder::PossibleValuesParser;
use clap::{ArgGroup, Args};
use serde_json::{Value, json};

use tarsy_contracts::alert::{AlertFields, AlertLink};

use crate::client::{Accepted, Client, NewAlert};
use crate::follow::{self, Detail};
use crate::output::{self, Format};

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("alert").required(true))]
pub(crate) struct Options {
    /// One of the built-in example alerts.
    #[arg(long, group = "alert", value_parser = example_names())]
    example: Option<String>,
    /// The file with the alert, or - for standard input.
    #[arg(long, group = "alert")]
    data: Option<String>,
    /// The alert type; default: the example's, or the server's default.
    #[arg(long = "type")]
    alert_type: Option<String>,
    /// The runbook's URL.
    #[arg(long)]
    runbook: Option<String>,
    /// The tools instead of the chain's: JSON such as `{"servers": [{"name": "host"}]}`, or a file with it.
    #[arg(long)]
    tools: Option<String>,
    /// Slack message to reply to. Also the deduplication key unless `--alert-fingerprint` is given.
    #[arg(long)]
    fingerprint: Option<String>,
    #[command(flatten)]
    fields: Fields,
    /// The same key within 24 hours returns the first session.
    #[arg(long)]
    idempotency_key: Option<String>,
    /// Shows the investigation until it ends.
    #[arg(long)]
    follow: bool,
    /// With --follow: also shows what the model writes, and the beginning of each result.
    #[arg(long, requires = "follow")]
    verbose: bool,
}

/// What the alert is about.
#[derive(Debug, Args)]
struct Fields {
    /// The alert in one line; default: the first line of its text that means something.
    #[arg(long)]
    title: Option<String>,
    /// How severe it is, such as `critical`.
    #[arg(long)]
    severity: Option<String>,
    /// The service that it is about.
    #[arg(long)]
    service: Option<String>,
    /// The namespace of the service.
    #[arg(long)]
    namespace: Option<String>,
    /// The cluster of the service.
    #[arg(long)]
    cluster: Option<String>,
    /// A page about it, as TITLE=URL; may be repeated.
    #[arg(long = "link", value_name = "TITLE=URL", value_parser = pair)]
    links: Vec<(String, String)>,
    /// A label, as NAME=VALUE; may be repeated.
    #[arg(long = "label", value_name = "NAME=VALUE", value_parser = pair)]
    labels: Vec<(String, String)>,
    /// Alerts with the same fingerprint report the same problem.
    #[arg(long)]
    alert_fingerprint: Option<String>,
}

impl Fields {
    fn read(&self) -> AlertFields {
        let links = self.links.iter().cloned();
        AlertFields {
            title: self.title.clone(),
            severity: self.severity.clone(),
            service: self.service.clone(),
            namespace: self.namespace.clone(),
            cluster: self.cluster.clone(),
            links: links.map(|(title, url)| AlertLink { title, url }).collect(),
            labels: self.labels.iter().cloned().collect(),
            fingerprint: self.alert_fingerprint.clone(),
        }
    }
}

fn pair(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("has no =")?;
    Ok((name.to_owned(), value.to_owned()))
}

pub(crate) async fn run(
    client: &Client,
    options: &Options,
    format: Format,
) -> anyhow::Result<ExitCode> {
    let alert = alert(options)?;
    let Accepted { id, warnings } =
        client.submit(&alert, options.idempotency_key.as_deref()).await?;
    for warning in &warnings {
        output::remark(warning);
    }
    let page = client.page_of(&id);
    if options.follow {
        output::remark(&format!("session {id} · {page}"));
        return follow::session(client, &id, (format, Detail::of(options.verbose))).await;
    }
    match format {
        Format::Json => output::document(&json!({ "session_id": id, "url": page }))?,
        Format::Text => output::line(&id),
    }
    Ok(ExitCode::SUCCESS)
}

fn alert(options: &Options) -> anyhow::Result<NewAlert> {
    let (data, alert_type) = match (&options.example, options.data.as_deref()) {
        (Some(name), _) => example(name)?,
        (None, Some("-")) => {
            let mut text = String::new();
            std::io::stdin().read_to_string(&mut text).context("standard input")?;
            (text, None)
        }
        (None, Some(path)) => {
            let text = std::fs::read_to_string(path)
                .with_context(|| format!("--data: could not read {path}"))?;
            (text, None)
        }
        (None, None) => anyhow::bail!("--data or --example is needed"),
    };
    let alert_type = options.alert_type.clone().or(alert_type);
    Ok(NewAlert {
        data,
        alert_type,
        runbook: options.runbook.clone(),
        mcp: options.tools.as_deref().map(tools).transpose()?,
        slack_message_fingerprint: options.fingerprint.clone(),
        fields: options.fields.read(),
    })
}

/// The requested tools: JSON, or a file with it.
fn tools(given: &str) -> anyhow::Result<Value> {
    let text = if given.trim_start().starts_with('{') {
        given.to_owned()
    } else {
        std::fs::read_to_string(given)
            .with_context(|| format!("--tools: no JSON object, and could not read {given}"))?
    };
    serde_json::from_str(&text).context("--tools: not valid JSON")
}

fn example_names() -> PossibleValuesParser {
    PossibleValuesParser::new(tarsy_catalog::examples().iter().map(|example| example.name))
}

fn example(name: &str) -> anyhow::Result<(String, Option<String>)> {
    let examples = tarsy_catalog::examples();
    let found = examples.iter().find(|example| example.name == name);
    let found = found.with_context(|| format!("there is no example {name:?}"))?;
    Ok((found.data.to_owned(), Some(found.alert_type.to_owned())))
}
