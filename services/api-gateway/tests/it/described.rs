//! schemathesis sends what the OpenAPI document allows and forbids, and compares the answers with the document.

use std::path::Path;
use std::time::Duration;

use anyhow::Context as _;
use serde_json::Value;
use tarsy_domain::access::Grant;
use tarsy_domain::event::{CallStatus, TimelineKind};
use tarsy_domain::status::TimelineStatus;
use tarsy_store::{Batch, CallEnd, NewApiToken, Op, secret};
use tarsy_testkit::{Investigation, TestStack, a_session, workspace};
use tempfile::TempDir;

use crate::stack::Stack;

const CHECKS: &str = "not_a_server_error,status_code_conformance,content_type_conformance,\
                      response_headers_conformance,response_schema_conformance";

/// Generated requests of an operation, beside those that cover each value of its schema once.
const EXAMPLES: &str = "5";

/// What messengers send; none is configured here.
const MESSENGERS: [&str; 4] = [
    "/api/v1/slack/interactions",
    "/api/v1/slack/events",
    "/api/v1/mattermost/commands",
    "/api/v1/teams/messages",
];

const PROXY: &str = "system: {access: {mode: proxy, roles: {admin: [sre]}}}\n";

/// What a run sent and got.
struct Exchange {
    method: String,
    path: String,
    status: u64,
}

/// Runs schemathesis; fails with its report if an answer is not as described.
async fn conforms(
    stack: &Stack,
    folder: &Path,
    settings: &str,
    arguments: &[String],
) -> anyhow::Result<Vec<Exchange>> {
    let (config, har) = (folder.join("schemathesis.toml"), folder.join("requests.har"));
    std::fs::write(&config, settings)?;
    let program = workspace().join(".tarsy/venv-schemathesis/bin/schemathesis");
    let output = tokio::process::Command::new(&program)
        .current_dir(folder)
        .arg("--config-file")
        .arg(&config)
        .arg("run")
        .arg(workspace().join("services/api-gateway/openapi.json"))
        .args(["--url", &format!("http://{}", stack.address), "--checks", CHECKS])
        .args(["--phases", "examples,coverage,fuzzing", "--max-examples", EXAMPLES])
        .arg("--generation-deterministic")
        .args(["--continue-on-failure", "--no-color", "--report", "har", "--report-har-path"])
        .arg(&har)
        .args(arguments)
        .output()
        .await
        .with_context(|| format!("{} is missing; `make setup-test`", program.display()))?;
    let (report, problem) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    anyhow::ensure!(
        output.status.success(),
        "{report}
{problem}"
    );
    let report: Value = serde_json::from_slice(&std::fs::read(&har)?)?;
    let entries = report["log"]["entries"].as_array().context("the report has no entries")?;
    anyhow::ensure!(entries.len() > 200, "only {} requests were sent", entries.len());
    entries.iter().map(read).collect()
}

fn read(entry: &Value) -> anyhow::Result<Exchange> {
    let url: reqwest::Url = entry["request"]["url"].as_str().context("no URL")?.parse()?;
    let status = entry["response"]["status"].as_u64().context("no status")?;
    let method = entry["request"]["method"].as_str().context("no method")?.to_owned();
    Ok(Exchange { method, path: url.path().to_owned(), status })
}

/// A gateway that identifies nobody but API tokens.
async fn behind_a_proxy(folder: &Path) -> anyhow::Result<Stack> {
    std::fs::write(folder.join("tarsy.yaml"), PROXY)?;
    let path = folder.display().to_string();
    Ok(Stack::with_settings(TestStack::start().await?, &[("TARSY_CONFIG_DIR", &path)]).await)
}

/// A session with a call of a model and one of a tool; the settings that make schemathesis ask for them.
async fn with_a_session(stack: &Stack) -> anyhow::Result<String> {
    let claim = a_session().running(&stack.store, "owner-1").await?;
    let (work, _) = Investigation::start(&stack.store, claim.fence).await?;
    let event = work.event(TimelineKind::LlmToolCall, TimelineStatus::Streaming);
    let (model, tool) = (work.llm_interaction(None), work.tool_call(event.id));
    let ids = (work.session_id(), model.id, tool.id);
    let end = CallEnd {
        call_id: tool.call_id,
        status: CallStatus::Completed,
        tool_result: "three pods".to_owned(),
        whole_result: None,
        duration_ms: Some(12),
        refused_by_policy: false,
        injected_instructions: 0,
        error_message: None,
    };
    let started = Batch::new()
        .with(Op::OpenEvent(event))
        .with(Op::LlmInteraction(model))
        .with(Op::CallStarted(tool));
    stack.store.commit(claim.fence, started).await?;
    stack.store.commit(claim.fence, Batch::new().with(Op::CallFinished(end))).await?;
    let (session, model, tool) = ids;
    let call = |kind: &str, id: &dyn std::fmt::Display| {
        format!(
            "[[operations]]\ninclude-path-regex = \"/trace/{kind}/\"\n\
             parameters = {{ id = \"{session}\", interaction_id = \"{id}\" }}\n"
        )
    };
    Ok(format!(
        "[[operations]]\ninclude-path-regex = \"/sessions/[{{]id[}}](/[a-z]+)?$\"\n\
         exclude-method = \"POST\"\nparameters = {{ id = \"{session}\" }}\n{}{}",
        call("llm", &model),
        call("mcp", &tool)
    ))
}

#[tokio::test]
async fn in_local_mode_every_answer_is_as_described() -> anyhow::Result<()> {
    let (stack, folder) = (Stack::start().await, TempDir::new()?);
    let settings = with_a_session(&stack).await?;
    let exchanges = conforms(&stack, folder.path(), &settings, &[]).await?;
    for part in ["/timeline", "/trace", "/status", "/result"] {
        let found = exchanges.iter().any(|one| one.path.ends_with(part) && one.status == 200);
        assert!(found, "no request for {part} succeeded");
    }
    Ok(())
}

#[tokio::test]
async fn without_credentials_everything_but_health_is_refused() -> anyhow::Result<()> {
    let folder = TempDir::new()?;
    let stack = Box::pin(behind_a_proxy(folder.path())).await?;
    let exchanges = conforms(&stack, folder.path(), "", &[]).await?;
    // Preflight requests carry no credentials; who signs in has none yet.
    let public = ["/health", "/api/v1/sign-in", "/api/v1/sign-in/callback"];
    let requests = exchanges.iter().filter(|one| one.method != "OPTIONS");
    for Exchange { method, path, status } in requests {
        let is_public = public.contains(&path.as_str())
            || MESSENGERS.contains(&path.as_str())
            || !path.starts_with("/api/v1/");
        // A source is verified as it is configured, and none is here.
        let is_unknown_source =
            path.starts_with("/api/v1/intake/") && matches!(status, 400 | 401 | 404);
        // 405: the coverage of methods that the path does not have.
        assert!(
            is_public || is_unknown_source || matches!(status, 401 | 405),
            "{method} {path} answered {status}"
        );
    }
    Ok(())
}

/// What a run sends: apart from each other, a run takes half of the time.
#[derive(Clone, Copy)]
enum Requests {
    Reads,
    Changes,
}

async fn with_a_token_of(role: &str, requests: Requests) -> anyhow::Result<()> {
    let folder = TempDir::new()?;
    let stack = Box::pin(behind_a_proxy(folder.path())).await?;
    let text = token(&stack, role).await?;
    let methods = match requests {
        Requests::Reads => "--include-method",
        Requests::Changes => "--exclude-method",
    };
    let header = format!("Authorization: Bearer {text}");
    let arguments = ["--header", &header, methods, "GET"].map(str::to_owned);
    let exchanges = conforms(&stack, folder.path(), "", &arguments).await?;
    // An alert source is verified as it is configured, and none is here.
    let of_sources = |path: &str| path.starts_with("/api/v1/intake/");
    let refused = exchanges.iter().find(|one| one.status == 401 && !of_sources(&one.path));
    assert!(refused.is_none(), "{role}: {}", refused.map_or("", |one| &one.path));
    Ok(())
}

// The roles between answer each request as one of these two does: who may do what is tested in `matrix`.
#[tokio::test]
async fn with_a_token_of_a_viewer_every_answer_to_a_read_is_as_described() -> anyhow::Result<()> {
    with_a_token_of("viewer", Requests::Reads).await
}

#[tokio::test]
async fn with_a_token_of_a_viewer_every_answer_to_a_change_is_as_described() -> anyhow::Result<()> {
    with_a_token_of("viewer", Requests::Changes).await
}

#[tokio::test]
async fn with_a_token_of_an_admin_every_answer_to_a_read_is_as_described() -> anyhow::Result<()> {
    with_a_token_of("admin", Requests::Reads).await
}

#[tokio::test]
async fn with_a_token_of_an_admin_every_answer_to_a_change_is_as_described() -> anyhow::Result<()> {
    with_a_token_of("admin", Requests::Changes).await
}

#[tokio::test]
async fn with_a_token_of_a_source_every_answer_to_a_read_is_as_described() -> anyhow::Result<()> {
    with_a_token_of("source", Requests::Reads).await
}

#[tokio::test]
async fn with_a_token_of_a_source_every_answer_to_a_change_is_as_described() -> anyhow::Result<()> {
    with_a_token_of("source", Requests::Changes).await
}

/// The text of a new token with a role, or of an alert source.
async fn token(stack: &Stack, role: &str) -> anyhow::Result<String> {
    let grant = match role {
        "source" => Grant::Source { alert_types: vec!["kubernetes".to_owned()] },
        role => Grant::Role(role.parse()?),
    };
    let text = secret::new_token().context("no randomness")?;
    let hash = secret::hash(&text);
    let (name, created_by) = (role.to_owned(), "test".to_owned());
    let new = NewApiToken { name, hash, grant, created_by, lifetime: Duration::from_hours(1) };
    stack.store.insert_api_token(new).await?;
    Ok(text)
}
