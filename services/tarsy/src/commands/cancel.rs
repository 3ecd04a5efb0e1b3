//! `tarsy cancel`: cancels a session or a question.

use std::process::ExitCode;

use serde_json::Value;

use crate::client::Client;
use crate::output::{self, Format};
use crate::short_id;

pub(crate) async fn run(client: &Client, id: &str, format: Format) -> anyhow::Result<ExitCode> {
    let answer = client.cancel(&short_id::of_session(client, id).await?).await?;
    match format {
        Format::Json => output::document(&answer)?,
        Format::Text => {
            output::line(answer.get("message").and_then(Value::as_str).unwrap_or_default());
        }
    }
    Ok(ExitCode::SUCCESS)
}
