//! A session of the Go implementation as a record.

use serde_json::{Value, json};
use tarsy_contracts::alert::AlertFields;
use tarsy_contracts::recording::{
    RecordedAlert, RecordedCall, RecordedReport, RecordedServer, RecordedUsage, Recording,
};
use tarsy_contracts::trace::OfferedTool;
use tarsy_domain::event::CallStatus;
use tarsy_domain::id::SessionId;
use tarsy_domain::status::SessionStatus;

use super::source::{Call, Session};

/// The record of a session with the status that it has there; none of one that completed without a report, or without a time.
pub(super) fn of(session: &Session, calls: &[Call]) -> Option<Recording> {
    let text = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
    let final_analysis = text(&session.final_analysis);
    let executive_summary = text(&session.executive_summary);
    let ended = session.status.parse().ok().filter(|status: &SessionStatus| status.is_terminal());
    let status = ended.unwrap_or(SessionStatus::Completed);
    let has_report = final_analysis.is_some() || executive_summary.is_some();
    if status == SessionStatus::Completed && !has_report {
        return None;
    }
    let alert = RecordedAlert {
        data: session.alert_data.clone(),
        alert_type: text(&session.alert_type),
        received_at: session.created_at.parse().ok()?,
        runbook_url: text(&session.runbook_url),
        runbook: None,
        fields: AlertFields::default(),
        changes: Vec::new(),
        dependencies: Vec::new(),
    };
    let numbered = (1..).zip(calls);
    let calls: Vec<_> = numbered.filter_map(|(number, call)| recorded(number, call)).collect();
    Some(Recording {
        session_id: SessionId::new(),
        alert,
        chain: Value::Null,
        servers: servers(&calls),
        calls,
        report: RecordedReport {
            status,
            final_analysis,
            executive_summary,
            error_message: text(&session.error_message),
        },
        usage: RecordedUsage::default(),
    })
}

/// The tools that were called: what else was offered, the records there do not have.
fn servers(calls: &[RecordedCall]) -> Vec<RecordedServer> {
    let mut servers: Vec<RecordedServer> = Vec::new();
    for call in calls {
        match servers.iter_mut().find(|one| one.server == call.server) {
            Some(known) if known.tools.iter().any(|tool| tool.name == call.tool) => {}
            Some(known) => known.tools.push(offered(call)),
            None => servers.push(RecordedServer {
                server: call.server.clone(),
                tools: vec![offered(call)],
                error: None,
            }),
        }
    }
    servers
}

fn offered(call: &RecordedCall) -> OfferedTool {
    OfferedTool {
        server: call.server.clone(),
        name: call.tool.clone(),
        description: String::new(),
        input_schema: json!({ "type": "object" }),
        read_only: false,
        idempotent: false,
    }
}

fn recorded(number: i64, call: &Call) -> Option<RecordedCall> {
    let error = call.error_message.clone().filter(|error| !error.is_empty());
    let status = if error.is_some() { CallStatus::Failed } else { CallStatus::Completed };
    Some(RecordedCall {
        number,
        server: call.server_name.clone(),
        tool: call.tool_name.clone()?,
        arguments: match &call.tool_arguments {
            Value::Null => Value::Object(serde_json::Map::new()),
            arguments => arguments.clone(),
        },
        status,
        refused_by_policy: false,
        result: error.unwrap_or_else(|| shown(&call.tool_result)),
    })
}

/// The text of a result: an object with one, or the whole of it.
fn shown(result: &Value) -> String {
    let texts = ["content", "result", "text", "output"].iter().filter_map(|name| result.get(*name));
    let text = std::iter::once(result).chain(texts).find_map(Value::as_str);
    match (text, result) {
        (Some(text), _) => text.to_owned(),
        (None, Value::Null) => String::new(),
        (None, whole) => whole.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(analysis: Option<&str>) -> Session {
        Session {
            alert_data: "disk full".to_owned(),
            alert_type: Some("host".to_owned()),
            created_at: "2026-08-03T10:00:00.123456789Z".to_owned(),
            final_analysis: analysis.map(str::to_owned),
            ..Session::default()
        }
    }

    #[test]
    fn a_session_becomes_a_record_with_its_calls() {
        let call = |arguments: Value, result: Value, error: Option<&str>| Call {
            server_name: "kubernetes-server".to_owned(),
            tool_name: Some("pods_list".to_owned()),
            tool_arguments: arguments,
            tool_result: result,
            error_message: error.map(str::to_owned),
        };
        let calls = [
            call(json!({"namespace": "shop"}), json!({"content": "web-1 Running"}), None),
            call(Value::Null, Value::Null, Some("timed out")),
            call(Value::Null, json!({"items": [1]}), None),
        ];
        let record = of(&session(Some("It is full.")), &calls).unwrap();
        assert_eq!(record.alert.received_at.to_string(), "2026-08-03T10:00:00.123456789Z");
        assert!(record.chain.is_null());
        let found: Vec<_> = record
            .calls
            .iter()
            .map(|one| (one.number, one.status, one.arguments.to_string(), one.result.as_str()))
            .collect();
        let [server] = record.servers.as_slice() else { panic!("{:?}", record.servers) };
        let tools: Vec<_> = server.tools.iter().map(|tool| tool.name.as_str()).collect();
        assert_eq!((server.server.as_str(), tools), ("kubernetes-server", vec!["pods_list"]));
        let expected = [
            (1, CallStatus::Completed, r#"{"namespace":"shop"}"#.to_owned(), "web-1 Running"),
            (2, CallStatus::Failed, "{}".to_owned(), "timed out"),
            (3, CallStatus::Completed, "{}".to_owned(), r#"{"items":[1]}"#),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_session_that_did_not_complete_keeps_its_status_and_needs_no_report() {
        for (word, status) in [
            ("failed", SessionStatus::Failed),
            ("timed_out", SessionStatus::TimedOut),
            ("cancelled", SessionStatus::Cancelled),
            ("completed", SessionStatus::Completed),
            ("of_tomorrow", SessionStatus::Completed),
        ] {
            let error_message = Some("the model was away".to_owned());
            let with = |analysis| Session {
                status: word.to_owned(),
                error_message: error_message.clone(),
                ..session(analysis)
            };
            let report = of(&with(Some("x")), &[]).unwrap().report;
            assert_eq!((report.status, &report.error_message), (status, &error_message), "{word}");
            let bare = of(&with(None), &[]);
            assert_eq!(bare.is_none(), status == SessionStatus::Completed, "{word}");
        }
    }

    #[test]
    fn a_session_without_a_report_is_none() {
        assert_eq!(of(&session(None), &[]), None);
        assert_eq!(of(&session(Some(" ")), &[]), None);
        let timeless = Session { created_at: String::new(), ..session(Some("x")) };
        assert_eq!(of(&timeless, &[]), None);
    }
}
