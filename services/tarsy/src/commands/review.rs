//! `tarsy review`: says whether a finding named the actual cause.

use std::process::ExitCode;

use clap::{Args, ValueEnum};
use serde_json::Value;

use crate::client::{Client, NewReview};
use crate::output::{self, Format};
use crate::short_id;

#[derive(Debug, Args)]
pub(crate) struct Options {
    /// The session: its ID, at least 4 characters of the beginning or end of it, or `latest`.
    id: String,
    /// Whether the finding names the actual cause.
    review: Judgement,
    /// What the actual cause was; later investigations of the same problem are given it.
    #[arg(long)]
    cause: Option<String>,
    /// The object that the cause was in, such as a service or a pod.
    #[arg(long)]
    object: Option<String>,
    /// The kind of cause, such as `configuration`.
    #[arg(long)]
    category: Option<String>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Judgement {
    Accurate,
    Partly,
    Wrong,
}

pub(crate) async fn run(
    client: &Client,
    options: &Options,
    format: Format,
) -> anyhow::Result<ExitCode> {
    let review = NewReview {
        review: match options.review {
            Judgement::Accurate => "accurate",
            Judgement::Partly => "partly",
            Judgement::Wrong => "wrong",
        },
        actual_cause: options.cause.clone(),
        object: options.object.clone(),
        category: options.category.clone(),
    };
    let id = short_id::of_session(client, &options.id).await?;
    let answer = client.review(&id, &review).await?;
    match format {
        Format::Json => output::document(&answer)?,
        Format::Text => {
            let text = |field| answer.get(field).and_then(Value::as_str).unwrap_or_default();
            output::line(&format!("reviewed as {} by {}", text("review"), text("reviewer")));
        }
    }
    Ok(ExitCode::SUCCESS)
}
