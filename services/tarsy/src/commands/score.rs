//! `tarsy score`: how well a session was investigated.

use std::process::ExitCode;

use clap::Args;
use serde_json::Value;

use crate::client::Client;
use crate::output::{self, Format};
use crate::short_id;

#[derive(Debug, Args)]
pub(crate) struct Options {
    /// The session: its ID, at least 4 characters of the beginning or end of it, or `latest`.
    id: String,
    /// Scores it again, with the chain as it is configured now; earlier scores are kept.
    #[arg(long)]
    again: bool,
}

pub(crate) async fn run(
    client: &Client,
    options: &Options,
    format: Format,
) -> anyhow::Result<ExitCode> {
    let id = short_id::of_session(client, &options.id).await?;
    let found = client.find_scores(&id).await?;
    let asks = options.again || found.get("score").is_none_or(Value::is_null);
    if asks {
        let answer = client.score(&id).await?;
        match format {
            Format::Json => output::document(&answer)?,
            Format::Text => {
                output::line(&format!("it is being scored; `tarsy score {id}` shows the result"));
            }
        }
        return Ok(ExitCode::SUCCESS);
    }
    match format {
        Format::Json => output::document(&found)?,
        Format::Text => lines(&found).iter().for_each(|line| output::line(line)),
    }
    Ok(ExitCode::SUCCESS)
}

/// The last score and what it rests on, then those before it.
fn lines(found: &Value) -> Vec<String> {
    let Some(score) = found.get("score") else { return Vec::new() };
    let mut lines = vec![headline(score)];
    let checks = score.get("checks").filter(|checks| !checks.is_null());
    lines.extend(checks.map(|checks| {
        let number = |name: &str| number(checks, name).unwrap_or_default();
        format!(
            "checks {}: {} of {} statements not backed, {} of {} calls failed, {} repeated",
            number("score"),
            number("unbacked_claims"),
            number("claims"),
            number("failed_calls"),
            number("calls"),
            number("repeated_calls"),
        )
    }));
    lines.extend(text(score, "analysis").map(str::to_owned));
    let tags = score.get("failure_tags").and_then(Value::as_array).into_iter().flatten();
    let tags: Vec<&str> = tags.filter_map(Value::as_str).collect();
    if !tags.is_empty() {
        lines.push(format!("tags: {}", tags.join(", ")));
    }
    let tools = score.get("missing_tools").and_then(Value::as_array).into_iter().flatten();
    lines.extend(tools.filter_map(|tool| {
        Some(format!("missing: {}: {}", text(tool, "name")?, text(tool, "why")?))
    }));
    let history = found.get("history").and_then(Value::as_array).into_iter().flatten();
    lines.extend(history.map(|one| format!("before: {}", headline(one))));
    lines
}

fn headline(score: &Value) -> String {
    let by = text(score, "model").map(|model| format!(" by {model}")).unwrap_or_default();
    match (number(score, "score"), text(score, "failure")) {
        (Some(number), _) => {
            let model = self::number(score, "model_score").unwrap_or_default();
            format!("score {number}{by} (model {model})")
        }
        (None, Some(failure)) => format!("no score: {failure}"),
        (None, None) => "it is being scored".to_owned(),
    }
}

fn text<'a>(of: &'a Value, name: &str) -> Option<&'a str> {
    of.get(name).and_then(Value::as_str)
}

fn number(of: &Value, name: &str) -> Option<i64> {
    of.get(name).and_then(Value::as_i64)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_score_is_shown_with_what_it_rests_on_and_those_before_it() {
        let found = json!({
            "score": {
                "score": 60, "model_score": 71, "model": "judge-1", "analysis": "Logs only.",
                "failure_tags": ["incomplete_evidence"], "missing_tools": [{"name": "traces", "why": "they show the slow hop"}],
                "checks": {"score": 60, "claims": 12, "unbacked_claims": 12, "calls": 4, "failed_calls": 1, "repeated_calls": 0},
            },
            "history": [{"score": null, "failure": "invalid"}, {"score": null, "failure": null}],
        });
        assert_eq!(
            lines(&found),
            [
                "score 60 by judge-1 (model 71)",
                "checks 60: 12 of 12 statements not backed, 1 of 4 calls failed, 0 repeated",
                "Logs only.",
                "tags: incomplete_evidence",
                "missing: traces: they show the slow hop",
                "before: no score: invalid",
                "before: it is being scored",
            ]
        );
    }
}
