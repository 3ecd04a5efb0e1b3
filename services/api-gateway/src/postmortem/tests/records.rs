//! Records as the store reads them.

use jiff::Timestamp;
use serde_json::{Value, json};
use tarsy_contracts::review::SessionReview;
use tarsy_contracts::session::SessionDetail;
use tarsy_contracts::triage::SessionTriage;
use tarsy_domain::event::ApprovalDecision;
use tarsy_store::{
    AlertRun, AskedQuestion, CallDecision, IncidentFacts, NumberedCall, ToolFailures,
};

use super::super::Record;

const ID: &str = "01a20000-0000-7000-8000-000000000001";

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

/// A session of which nothing is known but its alert.
pub(super) fn bare() -> Record {
    let none = json!({"limit": 1, "used": 0});
    let detail = json!({
        "id": "01a20000-0000-7000-8000-000000000002", "alert_type": "host", "chain_id": "host", "status": "failed",
        "origin": "alert", "waiting_for_approval": false, "author": "rosa", "title": "disk",
        "created_at": "2026-02-11T09:50:00Z", "started_at": "2026-02-11T09:50:01Z",
        "completed_at": "2026-02-11T09:51:00Z", "error_message": "the model could not be called",
        "degraded": false, "degraded_reasons": [], "llm_interaction_count": 0, "mcp_interaction_count": 0,
        "input_tokens": 0, "output_tokens": 0, "total_tokens": 0, "tokens_estimated": false, "unpriced_llm_calls": 0,
        "total_stages": 1, "completed_stages": 0, "has_parallel_stages": false, "chat_message_count": 0, "links": [],
        "earlier_sessions": {"count": 0}, "triage": "new", "alert_data": "disk", "labels": {}, "seen_before": [],
        "recalled": [], "chat_enabled": true, "failed_stages": 1,
        "budget": {"llm_calls": none, "tokens": none, "tool_calls": none}, "last_event_id": 3, "stages": [],
    });
    Record {
        detail: serde_json::from_value(detail).unwrap(),
        facts: IncidentFacts::default(),
        triage: serde_json::from_value(json!({"triage": "new", "entries": []})).unwrap(),
        review: None,
        page: "https://tarsy.example/sessions/01a20000-0000-7000-8000-000000000002".to_owned(),
    }
}

/// An incident with a cause, an action that worked and one that did not, and people.
pub(super) fn checkout() -> Record {
    let mut detail = serde_json::to_value(&bare().detail).unwrap();
    let own = json!({
        "id": ID, "status": "completed", "author": "alertmanager", "title": "CheckoutErrors: 5xx above 5 %",
        "severity": "critical", "service": "checkout", "namespace": "shop", "cluster": "eu-1",
        "created_at": "2026-02-11T09:46:02Z", "completed_at": "2026-02-11T09:52:40Z", "error_message": null,
        "executive_summary": "The checkout service fails since its deployment at 09:41. The likely cause is a pool of 2 connections.",
        "claims": {"total": 11, "verified": 10}, "degraded": true, "degraded_reasons": ["tool_failed", "unverified_claims"],
        "runbook_url": "https://runbooks.example/checkout", "verdict": verdict(), "changes": [change()],
        "dependencies": [dependency("frontend", "checkout"), dependency("checkout", "postgres")],
        "actions": [action("1", "worked"), action("2", "did_not_work")],
    });
    for (name, value) in own.as_object().unwrap() {
        detail[name] = value.clone();
    }
    Record {
        detail: serde_json::from_value::<SessionDetail>(detail).unwrap(),
        facts: facts(),
        triage: triage(),
        review: Some(review("accurate", None)),
        page: format!("https://tarsy.example/sessions/{ID}"),
    }
}

fn verdict() -> Value {
    json!({
        "outcome": "cause_found", "alert_statement": "confirmed",
        "answer": "7.2 % of the requests of checkout fail with 500",
        "cause": "The deployment of 09:41 set the pool of checkout to 2 connections", "category": "configuration",
        "object": {"kind": "Deployment", "name": "checkout", "namespace": "shop"}, "since": "2026-02-11T09:41:30Z",
        "confidence": "high",
        "evidence": [
            {"call": 1, "line": 12, "text": "2026-02-11T09:41:58Z ERROR pool exhausted: 2 of 2 connections in use"},
            {"call": 2, "line": 3, "text": "http_requests_total{code=\"500\"} 712"},
        ],
        "change": {
            "id": "01a20000-0000-7000-8000-0000000000c1", "kind": "deployment", "object": "Deployment/checkout",
            "service": "checkout", "occurred_at": "2026-02-11T09:41:20Z",
            "text": "image shop/checkout:1.8.1 → 1.8.2, DB_POOL_SIZE 20 → 2",
        },
        "alternatives": [{
            "cause": "The database is down", "category": "database", "object": null,
            "because": "postgres answers in 3 ms", "evidence": [],
        }],
        "not_examined": [{"what": "logs of the ingress", "why": "loki could not be reached"}],
        "next_steps": ["Set DB_POOL_SIZE of checkout to 20 again", "Alert on connections in use"],
        "charts": [{
            "call": 2, "metric": "error_rate", "object": "checkout", "unit": "%", "points": [],
            "change": {"at": "2026-02-11T09:42:10Z", "before": 0.1, "after": 7.2},
        }],
        "source": "model",
    })
}

fn change() -> Value {
    json!({
        "id": "01a20000-0000-7000-8000-0000000000c1", "source": "argocd", "kind": "deployment",
        "object": "Deployment/checkout", "service": "checkout", "namespace": "shop", "cluster": "eu-1", "host": null,
        "environment": null, "author": "mia", "link": "https://argocd.example/checkout",
        "text": "image shop/checkout:1.8.1 → 1.8.2, DB_POOL_SIZE 20 → 2",
        "occurred_at": "2026-02-11T09:41:20Z", "received_at": "2026-02-11T09:41:25Z",
    })
}

fn dependency(from: &str, to: &str) -> Value {
    json!({
        "source": "mesh", "from": from, "relation": "calls", "to": to, "namespace": "shop", "to_namespace": null,
        "cluster": null, "environment": null, "team": null, "last_seen_at": null,
    })
}

fn action(number: &str, outcome: &str) -> Value {
    let worked = outcome == "worked";
    let id = |kind: &str| format!("01a20000-0000-7000-8000-000000000{kind}a{number}");
    json!({
        "id": id("0"), "call_id": id("1"), "call_number": if worked { 7 } else { 5 },
        "approval_id": null, "call": {"server_name": "kubernetes", "tool_name": if worked { "rollback" } else { "restart" }, "arguments": {}},
        "effect": if worked { "checkout runs with 20 connections" } else { "checkout answers again" },
        "check": null, "rollback": null, "dry_run": null, "state": "ended", "outcome": outcome,
        "reason": if worked { "/ready is 3" } else { "/ready is 0" }, "observed": null, "check_number": null,
        "alert_statement": if worked { "not_confirmed" } else { "confirmed" }, "alert_answer": null, "rolls_back": null,
        "rollback_by": null, "may_roll_back": false,
        "planned_at": if worked { "2026-02-11T09:51:00Z" } else { "2026-02-11T09:49:30Z" },
        "made_at": if worked { "2026-02-11T09:51:26Z" } else { "2026-02-11T09:49:57Z" },
        "ended_at": if worked { "2026-02-11T09:52:10Z" } else { "2026-02-11T09:50:20Z" },
    })
}

fn facts() -> IncidentFacts {
    let call = |number, tool: &str, time: &str| NumberedCall {
        number,
        tool: tool.to_owned(),
        at: at(&format!("2026-02-11T{time}Z")),
    };
    IncidentFacts {
        alerts: vec![AlertRun {
            source: "alertmanager".to_owned(),
            title: "CheckoutErrors: 5xx above 5 %".to_owned(),
            starts_at: Some(at("2026-02-11T09:45:30Z")),
            first_seen_at: at("2026-02-11T09:46:02Z"),
            last_seen_at: Some(at("2026-02-11T09:51:02Z")),
            notifications: 6,
            resolved_at: Some(at("2026-02-11T09:53:30Z")),
        }],
        alert_count: 1,
        decisions: vec![
            decision("kubernetes.restart", 5, "09:49:50"),
            decision("kubernetes.rollback", 7, "09:51:20"),
        ],
        calls: vec![
            call(1, "kubernetes.pods_log", "09:46:30"),
            call(2, "prometheus.query_range", "09:47:00"),
            call(5, "kubernetes.restart", "09:49:55"),
            call(7, "kubernetes.rollback", "09:51:25"),
        ],
        failures: vec![ToolFailures {
            tool: "loki.query".to_owned(),
            calls: 2,
            failed: 2,
            refused: 0,
            error: Some("connection refused".to_owned()),
        }],
        missing_servers: vec![("pagerduty".to_owned(), "401 Unauthorized".to_owned())],
        unseen: vec![vec!["loki.query".to_owned()]],
        questions: vec![AskedQuestion {
            question: "Did other services change?".to_owned(),
            author: "rosa".to_owned(),
            asked_at: at("2026-02-11T10:05:00Z"),
            answer: Some("No other change was recorded between 09:00 and 09:46.".to_owned()),
        }],
    }
}

fn decision(tool: &str, number: i64, time: &str) -> CallDecision {
    CallDecision {
        tool: tool.to_owned(),
        call_number: Some(number),
        decision: ApprovalDecision::Approved,
        decided_by: Some("rosa".to_owned()),
        decided_at: at(&format!("2026-02-11T{time}Z")),
    }
}

fn triage() -> SessionTriage {
    let entry = |number: u8, triage: Option<&str>, note: Option<&str>, time: &str| {
        json!({
            "id": format!("01a20000-0000-7000-8000-0000000000e{number}"), "triage": triage,
            "assignee": triage.map(|_| "rosa"), "note": note, "author": "rosa",
            "created_at": format!("2026-02-11T{time}Z"),
        })
    };
    let entries = [
        entry(2, Some("done"), Some("customers told by @support"), "10:30:00"),
        entry(1, Some("taken"), None, "09:47:10"),
    ];
    serde_json::from_value(json!({"triage": "done", "assignee": "rosa", "entries": entries}))
        .unwrap()
}

pub(super) fn review(word: &str, actual: Option<&str>) -> SessionReview {
    let review = json!({
        "review": word, "actual_cause": actual, "object": null, "category": null, "reviewer": "rosa",
        "reviewed_at": "2026-02-11T10:20:00Z",
    });
    serde_json::from_value(review).unwrap()
}
