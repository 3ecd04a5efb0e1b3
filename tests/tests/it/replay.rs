//! Finished sessions are replayed from their records by the real services: the same calls, the same results, the same
//! report, and nothing executed or posted.

#![expect(clippy::indexing_slicing, reason = "a missing field fails the test")]

use std::path::Path;
use std::time::Duration;

use anyhow::Context as _;
use serde_json::{Value, json};
use tarsy_e2e::model::usual;
use tarsy_e2e::{Answer, Asked, Failures, Llm, Receiver, Script, Stack, StackOptions};

const TIMEOUT: Duration = Duration::from_mins(2);
/// More than is shown of a result, and more than a message carries.
const ROWS: u32 = 17_000;

/// An agent that makes three calls, one of them twice, and concludes; told to be careful, it makes another call.
fn script() -> Script {
    Script::new(|asked: &Asked| {
        usual(asked).unwrap_or_else(|| match asked.turn() {
            0 if asked.contains("Be careful.") => {
                Answer::call("ledger__look", json!({"what": "something new"}))
            }
            0 => Answer::Calls(vec![
                ("ledger__look", json!({"what": "disk"})),
                ("ledger__record", json!({"what": "note"})),
            ]),
            1 => Answer::call("ledger__look", json!({"what": "disk"})),
            _ if asked.contains("Be careful.") => Answer::text("A result is missing."),
            _ => Answer::text("Every result is known."),
        })
    })
}

async fn replay(stack: &Stack, session: &str, changes: &Value) -> anyhow::Result<String> {
    let (status, body) = stack.post(&format!("/api/v1/sessions/{session}/replay"), changes).await?;
    let id = body["session_id"].as_str();
    let id = id.with_context(|| format!("not accepted: {status} {body}"))?.to_owned();
    stack.completes(&stack.watch(&id).await?).await?;
    Ok(id)
}

async fn comparison(stack: &Stack, one: &str, other: &str) -> anyhow::Result<Value> {
    stack.get(&format!("/api/v1/sessions/{one}/comparison?with={other}")).await
}

fn assert_same(comparison: &Value) {
    for field in ["same_calls", "same_results", "same_report"] {
        assert_eq!(comparison[field], true, "{field}: {comparison:#}");
    }
}

#[tokio::test]
async fn a_replay_makes_the_same_calls_with_the_same_results_and_executes_nothing()
-> anyhow::Result<()> {
    let stack = Stack::start(StackOptions {
        llm: Llm::Scripted(script()),
        least_privilege: true,
        posts: Some((7, Failures::Answered)),
        ..StackOptions::default()
    })
    .await?;
    let (session, viewer) = stack.begun("ledger", "disk full").await?;
    stack.completes(&viewer).await?;
    let ledger = stack.ledger();
    assert_eq!(ledger.len(), 3, "{ledger:?}");

    let same = replay(&stack, &session, &json!({})).await?;
    let compared = comparison(&stack, &session, &same).await?;
    assert_same(&compared);
    assert_eq!(compared["second"]["tool_calls"], 3);
    let detail = stack.get(&format!("/api/v1/sessions/{same}")).await?;
    assert_eq!((&detail["origin"], &detail["replay_of"]), (&json!("replay"), &json!(session)));

    let prompts = json!({"prompts": {"task": "Be careful. {{ alert }}"}});
    let careful = replay(&stack, &session, &prompts).await?;
    let compared = comparison(&stack, &session, &careful).await?;
    assert_eq!((&compared["same_calls"], &compared["same_report"]), (&json!(false), &json!(false)));
    assert_eq!(compared["second"]["failed_tool_calls"], 1, "{compared:#}");
    assert_ne!(
        compared["first"]["usage"]["prompt_versions"],
        compared["second"]["usage"]["prompt_versions"]
    );
    let recording = stack.get(&format!("/api/v1/sessions/{careful}/recording")).await?;
    let first = recording["calls"][0]["result"].as_str().unwrap_or_default();
    assert!(first.starts_with("not recorded"), "{first}");

    // A question about a replay is answered from the record as well.
    let viewer = stack.watch(&same).await?;
    let stage = stack.ask(&same, "Is that all?").await?;
    viewer.stage_ends(&stage, "completed", TIMEOUT).await?;

    assert_eq!(stack.ledger(), ledger, "no tool was executed");
    let ended = async |stack: &Stack| {
        let posts = stack.posts()?.received();
        Ok(posts.iter().any(|post| {
            post.session == session && post.event == "ended" && post.receiver == Receiver::Webhook
        }))
    };
    stack.wait_until("the original is posted", TIMEOUT, ended).await?;
    let posts = stack.posts()?.received();
    assert!(posts.iter().all(|post| post.session == session), "a replay notifies nobody");
    Ok(())
}

#[tokio::test]
async fn the_demo_finds_what_broke_a_recorded_incident() -> anyhow::Result<()> {
    let stack = Stack::start(StackOptions::default()).await?;
    let url = stack.client().url().to_owned();
    let demo = stack.command(&["--url", &url, "demo"]).await?;
    let (shown, remarks) =
        (String::from_utf8_lossy(&demo.stdout), String::from_utf8_lossy(&demo.stderr));
    assert!(demo.status.success(), "{shown} {remarks}");
    assert_eq!(shown.lines().last(), Some("completed"), "{shown}");
    assert!(shown.contains("PAYMENTS_URL") && shown.contains("18934"), "{shown}");
    assert!(remarks.contains("recorded incident"), "{remarks}");

    let listed = stack.get("/api/v1/sessions?origin=replay").await?;
    let first = &listed["sessions"][0];
    assert_eq!(first["finding"]["outcome"], "cause_found", "{listed:#}");
    assert_eq!(
        first["title"],
        "CheckoutErrors: no order has been paid since checkout was deployed"
    );
    let id = first["id"].as_str().context("no id")?;
    let first = stack.get(&format!("/api/v1/sessions/{id}")).await?;
    let (status, again) = stack.post("/api/v1/demo", &json!({})).await?;
    assert_eq!(status, 202, "{again}");
    let id = again["session_id"].as_str().context("no id")?;
    let again = stack.get(&format!("/api/v1/sessions/{id}")).await?;
    assert_eq!(first["replay_of"], again["replay_of"], "the record is imported once");
    another_program_is_left(&stack).await
}

/// The API of the Go implementation, with two pages of sessions: one has no report, and one failed.
#[expect(clippy::disallowed_methods, reason = "a test has no service to wait for its tasks")]
async fn another_program() -> anyhow::Result<(String, tokio::task::JoinHandle<()>)> {
    async fn answer(uri: axum::http::Uri) -> axum::Json<Value> {
        let path = uri.path();
        let page = if uri.query().is_some_and(|query| query.contains("page=2")) { 2 } else { 1 };
        axum::Json(match path.rsplit('/').next().unwrap_or_default() {
            "sessions" => {
                let ids = if page == 1 { vec!["one", "two"] } else { vec!["three", "four"] };
                let sessions: Vec<Value> = ids.iter().map(|id| json!({"id": id})).collect();
                json!({"sessions": sessions, "pagination": {"page": page, "page_size": 2, "total_pages": 2, "total_items": 3}})
            }
            "trace" => {
                json!({"stages": [{"stage_id": "s", "executions": [{"execution_id": "e", "llm_interactions": [],
                "mcp_interactions": [{"id": "list", "interaction_type": "tool_list", "created_at": "1"}],
                "sub_agents": [{"execution_id": "f", "mcp_interactions": [
                    {"id": "call", "interaction_type": "tool_call", "created_at": "2"}]}]}]}], "session_interactions": []})
            }
            "call" => {
                json!({"id": "call", "interaction_type": "tool_call", "server_name": "kubernetes-server",
                "tool_name": "pods_list", "tool_arguments": {"namespace": "shop"},
                "tool_result": {"content": "checkout-7d9 CrashLoopBackOff, password=hunter2hunter2"}})
            }
            id => {
                json!({"id": id, "alert_data": format!("PodCrashLooping zebra-{id}"), "alert_type": "kubernetes",
                "created_at": "2026-08-03T10:00:00.5Z", "runbook_url": null, "executive_summary": null,
                "status": if id == "four" { "failed" } else { "completed" },
                "error_message": if id == "four" { json!("no answer, password=hunter2hunter2") } else { Value::Null },
                "final_analysis": if matches!(id, "two" | "four") { Value::Null } else { json!("A variable is missing [call 1].") }})
            }
        })
    }
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}", listener.local_addr()?);
    let app = axum::Router::new().fallback(answer);
    let server = tokio::spawn(async move { drop(axum::serve(listener, app).await) });
    Ok((url, server))
}

async fn another_program_is_left(stack: &Stack) -> anyhow::Result<()> {
    let (url, server) = another_program().await?;
    for expected in [
        "3 imported, 0 known before, 1 without a report left out",
        "0 imported, 3 known before, 1 without a report left out",
    ] {
        let output = stack.command(&["import", &url, "--since", "2026-08-01"]).await?;
        let shown = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && shown.contains(expected), "{output:?}");
    }
    server.abort();
    let listed = stack.get("/api/v1/sessions?origin=recording&search=zebra-three").await?;
    let id = listed["sessions"][0]["id"].as_str().context("not listed")?;
    assert_eq!(listed["sessions"][0]["created_at"], "2026-08-03T10:00:00.5Z", "{listed:#}");
    let record = stack.get(&format!("/api/v1/sessions/{id}/recording")).await?;
    assert_eq!(record["alert"]["received_at"], "2026-08-03T10:00:00.5Z");
    assert_eq!(record["report"]["final_analysis"], "A variable is missing [call 1].");
    assert_eq!(record["calls"][0]["tool"], "pods_list", "{record:#}");
    assert!(!record.to_string().contains("hunter2"), "{record:#}");
    let (status, again) = stack.post(&format!("/api/v1/sessions/{id}/replay"), &json!({})).await?;
    assert_eq!(status, 202, "the tools that were called are offered: {again}");
    let listed = stack.get("/api/v1/sessions?status=failed&search=zebra-four").await?;
    let failed = &listed["sessions"][0];
    let error = failed["error_message"].as_str().context("no error")?;
    assert!(error.starts_with("no answer") && !error.contains("hunter2"), "{failed:#}");
    Ok(())
}

#[tokio::test]
async fn the_offline_analyst_comes_to_the_same_report_about_this_machine() -> anyhow::Result<()> {
    let stack = Stack::start(StackOptions::default()).await?;
    let (session, viewer) = stack.begun("host", "disk almost full on /, host is slow").await?;
    stack.completes(&viewer).await?;
    let same = replay(&stack, &session, &json!({"provider": "offline"})).await?;
    assert_same(&comparison(&stack, &session, &same).await?);

    let folder = stack.path("cases/disk");
    let folder = folder.to_str().context("a path in UTF-8")?;
    let url = stack.client().url().to_owned();
    let reviewed = stack.command(&["--url", &url, "review", &session, "accurate"]).await?;
    assert!(reviewed.status.success(), "{reviewed:?}");
    let saved = stack.command(&["--url", &url, "case", "save", &session, folder]).await?;
    assert!(saved.status.success(), "{saved:?}");
    let detail = stack.get(&format!("/api/v1/sessions/{session}")).await?;
    let written: Value =
        serde_json::from_str(&std::fs::read_to_string(format!("{folder}/expected.json"))?)?;
    // A hint is no cause, also for whoever finds it accurate.
    let is_cause = detail["verdict"]["outcome"] == "cause_found";
    let confirmed = detail["verdict"]["cause"].as_str().filter(|_| is_cause);
    let confirmed: Vec<&str> = confirmed.into_iter().collect();
    assert_eq!(written["cause"], json!(confirmed), "{detail:#}");
    let expected =
        json!({"cause": ["no cause has this name"], "object": ["/"], "category": ["disk"]});
    std::fs::write(format!("{folder}/expected.json"), expected.to_string())?;
    let parent = stack.path("cases");
    let (parent, out) = (parent.to_string_lossy(), stack.path("out"));
    let arguments =
        ["--url", &url, "eval", &parent, "--out", &out.to_string_lossy(), "--runs", "2"];
    let evaluated = stack.command(&arguments).await?;
    let text = String::from_utf8_lossy(&evaluated.stdout).into_owned();
    assert!(evaluated.status.success(), "{text} {evaluated:?}");
    let last = text.lines().last().unwrap_or_default();
    assert!(last.starts_with("cases 1, A@1 0, A@3 0, grounded "), "{text}");
    let document: Value = serde_json::from_str(&std::fs::read_to_string(out.join("eval.json"))?)?;
    assert_eq!(document["totals"]["runs"], 2);
    assert!(out.join("eval.xml").exists() && out.join("eval.md").exists());
    Ok(())
}

#[tokio::test]
async fn a_large_result_is_replayed_whole_and_a_wrong_template_is_reported() -> anyhow::Result<()> {
    let script = Script::new(|asked: &Asked| {
        usual(asked).unwrap_or_else(|| match asked.turn() {
            0 => Answer::call("ledger__look", json!({"what": "much", "rows": ROWS})),
            _ => Answer::text("Much [call 1]."),
        })
    });
    let options = StackOptions { llm: Llm::Scripted(script), ..StackOptions::default() };
    let stack = Stack::start(options).await?;
    let (session, viewer) = stack.begun("ledger", "much").await?;
    stack.completes(&viewer).await?;
    let same = replay(&stack, &session, &json!({})).await?;
    assert_same(&comparison(&stack, &session, &same).await?);
    let recording = stack.get(&format!("/api/v1/sessions/{same}/recording")).await?;
    let result = recording["calls"][0]["result"].as_str().unwrap_or_default();
    assert!(result.lines().count() >= ROWS as usize, "{} lines", result.lines().count());

    let path = format!("/api/v1/sessions/{session}/replay");
    let wrong = json!({"prompts": {"no_such_template": "x"}});
    let (_, body) = stack.post(&path, &wrong).await?;
    let id = body["session_id"].as_str().context("accepted")?.to_owned();
    stack.ends_as("failed", &stack.watch(&id).await?).await?;
    let detail = stack.get(&format!("/api/v1/sessions/{id}")).await?;
    let error = detail["error_message"].as_str().unwrap_or_default();
    assert!(error.contains("no_such_template") && error.contains("instructions"), "{error}");
    let (status, body) = stack.post(&path, &json!({"provider": "offlin"})).await?;
    assert_eq!(status, 400);
    assert_eq!(body["errors"][0]["field"], "provider");
    Ok(())
}

/// Cases of `tests/cases` that are written in public layouts.
const SHIPPED: [&str; 5] =
    ["disk-full", "certificate-expired", "crash-loop", "deadlock", "wrong-password"];

fn shipped(name: &str, file: &str) -> anyhow::Result<String> {
    let path = format!("{}/cases/{name}/{file}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).with_context(|| path.clone())
}

fn calls(name: &str) -> anyhow::Result<Vec<Value>> {
    let text = shipped(name, "calls.jsonl")?;
    text.lines().map(|line| Ok(serde_json::from_str(line)?)).collect()
}

/// A case as a recorded tool cache.
fn write_tool_cache(folder: &Path, name: &str) -> anyhow::Result<()> {
    let alert: Value = serde_json::from_str(&shipped(name, "alert.json")?)?;
    let expected: Value = serde_json::from_str(&shipped(name, "expected.json")?)?;
    let mut cache = json!({"collection_timestamp": alert["received_at"]});
    for call in calls(name)? {
        let key = format!("{}:{}", call["tool"].as_str().unwrap_or_default(), call["arguments"]);
        cache[key] = call["result"].clone();
    }
    let result = json!({
        "root_cause": expected["cause"][0],
        "fault_object": format!("host/{}", expected["object"][0].as_str().unwrap_or_default()),
        "fault_taxonomy": expected["category"][0],
    });
    let metadata =
        json!({"namespace": "host", "query": alert["data"], "result": result, "process": {}});
    std::fs::create_dir_all(folder)?;
    std::fs::write(folder.join("metadata.json"), metadata.to_string())?;
    std::fs::write(folder.join("tool_cache.json"), cache.to_string())?;
    Ok(())
}

/// A case as a fixture with an answer key.
fn write_fixture(folder: &Path, name: &str) -> anyhow::Result<()> {
    let alert: Value = serde_json::from_str(&shipped(name, "alert.json")?)?;
    let expected: Value = serde_json::from_str(&shipped(name, "expected.json")?)?;
    std::fs::create_dir_all(folder)?;
    // JSON is YAML.
    let case = json!({"user_prompt": alert["data"], "expected_output": expected["cause"], "tags": ["host"]});
    std::fs::write(folder.join("test_case.yaml"), case.to_string())?;
    for call in calls(name)? {
        let status = if call["status"] == "completed" { "success" } else { "error" };
        let head = json!({"toolset_name": "host", "tool_name": call["tool"], "match_params": call["arguments"]});
        let result = call["result"].as_str().unwrap_or_default();
        let text = format!("{head}\n{}\n{result}", json!({ "status": status }));
        std::fs::write(folder.join(format!("call_{}.txt", call["number"])), text)?;
    }
    Ok(())
}

#[tokio::test]
async fn cases_in_the_layouts_of_tool_caches_and_of_fixtures_are_evaluated() -> anyhow::Result<()> {
    let stack = Stack::start(StackOptions::default()).await?;
    let url = stack.client().url().to_owned();
    for (number, name) in (1..).zip(SHIPPED) {
        write_tool_cache(&stack.path(&format!("caches/host/{number}")), name)?;
        write_fixture(&stack.path(&format!("fixtures/{number}_{name}")), name)?;
    }
    for layout in ["caches", "fixtures"] {
        let (folder, out) = (stack.path(layout), stack.path(&format!("out-{layout}")));
        let (folder, to) = (folder.to_string_lossy(), out.to_string_lossy());
        let arguments = ["--url", &url, "eval", &folder, "--provider", "offline", "--out", &to];
        let evaluated = stack.command(&arguments).await?;
        let text = String::from_utf8_lossy(&evaluated.stdout).into_owned();
        assert!(evaluated.status.success(), "{layout}: {text} {evaluated:?}");
        let document: Value =
            serde_json::from_str(&std::fs::read_to_string(out.join("eval.json"))?)?;
        let totals = &document["totals"];
        assert_eq!((&totals["cases"], &totals["errors"]), (&json!(5), &json!(0)), "{text}");
        assert!(totals["tool_calls"].as_i64() > totals["failed_tool_calls"].as_i64(), "{text}");
        let hits = totals["at_3"]["hits"].as_i64();
        assert!(hits >= Some(3), "{layout}: the results of the record are read: {text}");
    }
    Ok(())
}
