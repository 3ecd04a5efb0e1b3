//! `tarsy submit`: submits an alert, and follows it on request.

use std::io::Read as _;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::Args;

use crate::client::{Client, NewAlert};
use crate::{follow, output};

#[derive(Debug, Args)]
pub(crate) struct Options {
    /// One of the built-in example alerts.
    #[arg(long, conflicts_with = "data")]
    example: Option<String>,
    /// The file with the alert, or - for standard input.
    #[arg(long, required_unless_present = "example")]
    data: Option<String>,
    /// The alert type; default: the example's, or the server's default.
    #[arg(long = "type")]
    alert_type: Option<String>,
    /// The runbook's URL.
    #[arg(long)]
    runbook: Option<String>,
    /// Shows the investigation until it ends.
    #[arg(long)]
    follow: bool,
}

pub(crate) async fn run(client: &Client, options: &Options) -> anyhow::Result<ExitCode> {
    let alert = alert(options)?;
    let id = client.submit(&alert).await?;
    if !options.follow {
        output::line(&id);
        return Ok(ExitCode::SUCCESS);
    }
    output::remark(&format!("session {id} · {}", client.page_of(&id)));
    follow::session(client, &id).await
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
    Ok(NewAlert { data, alert_type, runbook: options.runbook.clone() })
}

fn example(name: &str) -> anyhow::Result<(String, Option<String>)> {
    let examples = tarsy_catalog::examples();
    let found = examples.iter().find(|example| example.name == name).with_context(|| {
        let names: Vec<&str> = examples.iter().map(|example| example.name).collect();
        format!("--example: there is no example {name:?}; there are {}", names.join(", "))
    })?;
    Ok((found.data.to_owned(), Some(found.alert_type.to_owned())))
}
