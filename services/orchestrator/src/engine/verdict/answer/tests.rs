use serde_json::json;
use tarsy_domain::change::ChangeKind;
use tarsy_domain::id::ChangeId;
use tarsy_store::CallSummary;

use super::*;
use crate::prompts::verdict_format;

fn record() -> VerdictMaterial {
    let call = |number, status| CallSummary {
        number,
        tool: format!("host.tool_{number}"),
        arguments: None,
        status,
    };
    VerdictMaterial {
        calls: vec![call(1, CallStatus::Completed), call(2, CallStatus::Failed)],
        unused_tools: Vec::new(),
        evidence: vec![
            Evidence { call: 1, line: 2, text: "/var 40G   39G".to_owned() },
            Evidence { call: 3, line: 1, text: "web-1: no space left on device".to_owned() },
        ],
        changes: Vec::new(),
    }
}

fn answer() -> Value {
    json!({
        "outcome": "cause_found",
        "alert_statement": "confirmed",
        "answer": "39G of 40G are used",
        "cause": "The disk is full.",
        "category": "disk",
        "object": {"kind": "host", "name": "web-1", "namespace": null},
        "since": null,
        "confidence": "high",
        "evidence": ["E2", "E1", "E2"],
        "alternatives": [{
            "cause": "a leak", "category": "crash", "object": null, "because": "memory is free", "evidence": []
        }],
        "not_examined": [],
        "next_steps": ["Look for large files"],
    })
}

fn read_json(answer: &Value) -> Reading {
    let call = ToolCall {
        id: "a".to_owned(),
        name: "verdict".to_owned(),
        arguments: answer.to_string(),
        ..ToolCall::default()
    };
    let of_call = read(decode(&[call], "", &[]).unwrap(), &record());
    let fenced = format!("Here it is:\n```json\n{answer}\n```");
    assert_eq!(read_text(&fenced).unwrap(), of_call);
    of_call
}

fn read_text(text: &str) -> Result<Reading, String> {
    Ok(read(decode(&[], text, &[])?, &record()))
}

/// An answer with one member as it is not asked for.
fn with(member: &str, value: Value) -> Reading {
    let mut answer = answer();
    answer[member] = value;
    read_json(&answer)
}

fn without(member: &str) -> Reading {
    let mut answer = answer();
    answer.as_object_mut().unwrap().remove(member);
    read_json(&answer)
}

#[test]
fn an_answer_of_the_schema_is_read_without_a_note() {
    let schema: Value = serde_json::from_str(&verdict_format(&record(), &[]).schema).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    assert!(validator.is_valid(&answer()), "{:?}", validator.validate(&answer()));
    let reading = read_json(&answer());
    assert_eq!((reading.notes, reading.problems), (vec![], vec![]));
    let verdict = reading.verdict;
    assert_eq!(verdict.cause, "The disk is full");
    let calls: Vec<u32> = verdict.evidence.iter().map(|line| line.call).collect();
    assert_eq!(calls, [3, 1]);
    assert_eq!(verdict.source, Source::Model);
    assert_eq!(verdict.alternatives.len(), 1);
}

/// What a vendor takes as strict: all members are required and no others allowed, and none of the keywords that vendors refuse.
fn assert_strict(part: &Value) {
    if let Some(properties) = part.get("properties").and_then(Value::as_object) {
        let mut required: Vec<&str> =
            part["required"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        let mut names: Vec<&str> = properties.keys().map(String::as_str).collect();
        required.sort_unstable();
        names.sort_unstable();
        assert_eq!((names, &part["additionalProperties"]), (required, &json!(false)));
    }
    match part {
        Value::Object(members) => {
            for refused in ["minLength", "maxLength", "minItems", "maxItems", "default", "$ref"] {
                assert!(!members.contains_key(refused), "{refused} in {part}");
            }
            members.values().for_each(assert_strict);
        }
        Value::Array(items) => items.iter().for_each(assert_strict),
        _ => {}
    }
}

#[test]
fn the_schema_is_one_that_vendors_take_as_strict() {
    for lines in [0, 2, 60] {
        for members in [&[][..], &["object"]] {
            let evidence = vec![record().evidence.remove(0); lines];
            for changes in [Vec::new(), vec![rollout(), rollout()]] {
                let record = VerdictMaterial { evidence: evidence.clone(), changes, ..record() };
                let format = verdict_format(&record, members);
                assert_strict(&serde_json::from_str(&format.schema).unwrap());
            }
        }
    }
}

fn rollout() -> Change {
    let at = "2026-02-11T09:30:00Z".parse().unwrap();
    Change {
        id: ChangeId::new(),
        source: "ci".to_owned(),
        kind: ChangeKind::Deployment,
        object: Some("Deployment/checkout".to_owned()),
        service: None,
        namespace: None,
        cluster: None,
        host: None,
        environment: None,
        author: None,
        link: None,
        text: "1.8.1 → 1.8.2".to_owned(),
        occurred_at: at,
        received_at: at,
    }
}

#[test]
fn a_change_is_one_that_was_given_and_that_the_analysis_names() {
    let record = VerdictMaterial { changes: vec![rollout(), rollout()], ..record() };
    let read = |member: Value, analysis: &str| {
        let mut answer = answer();
        answer["change"] = member;
        let mut reading = read(decode(&[], &answer.to_string(), &[]).unwrap(), &record);
        reading.leave_out_change(&record.changes, analysis);
        (reading.verdict.change.and_then(|change| change.id), reading.notes)
    };
    let analysis = "It fails since checkout was deployed.";
    let second = Some(record.changes[1].id);
    assert_eq!(read(json!("c2"), analysis), (second, vec![]));
    assert_eq!(read(Value::Null, analysis), (None, vec![]));
    let unknown = vec!["change: it is none of the changes, and was left out".to_owned()];
    assert_eq!(read(json!("C3"), analysis), (None, unknown));
    let (change, notes) = read(json!("C1"), "The disk is full.");
    assert!(change.is_none() && notes[0].starts_with("change: the analysis does not name it"));
}

#[test]
fn an_alternative_has_its_own_change() {
    let record = VerdictMaterial { changes: vec![rollout(), rollout()], ..record() };
    let read = |member: Value, analysis: &str| {
        let mut answer = answer();
        answer["change"] = Value::Null;
        answer["alternatives"][0]["change"] = member;
        let mut reading = read(decode(&[], &answer.to_string(), &[]).unwrap(), &record);
        reading.leave_out_change(&record.changes, analysis);
        let change = reading.verdict.alternatives.remove(0).change;
        (change.and_then(|change| change.id), reading.notes)
    };
    let analysis = "A leak since checkout was deployed is ruled out.";
    assert_eq!(read(json!("C2"), analysis), (Some(record.changes[1].id), vec![]));
    assert_eq!(read(json!("C9"), analysis), (None, vec![]));
    let (change, notes) = read(json!("C1"), "A leak is ruled out.");
    assert!(
        change.is_none()
            && notes[0].starts_with("alternatives[0].change: the analysis does not name it")
    );
}

#[test]
fn no_single_member_costs_the_verdict() {
    let wrong = json!({"a": [1]});
    for member in answer().as_object().unwrap().keys() {
        for (how, reading) in [("missing", without(member)), ("wrong", with(member, wrong.clone()))]
        {
            let is_reported = !reading.notes.is_empty() || !reading.problems.is_empty();
            let may_be_absent = ["outcome", "alert_statement", "answer", "since"];
            let expected = how == "wrong" || !may_be_absent.contains(&member.as_str());
            let cause = member == "cause";
            assert_eq!(is_reported, expected, "{member} is {how}: {reading:?}");
            assert_eq!(reading.verdict.states_cause(), !cause, "{member} is {how}: {reading:?}");
        }
    }
}

#[test]
fn lines_are_known_by_their_numbers_or_their_text() {
    let lines = |value: Value| {
        let read = with("evidence", value).verdict.evidence;
        read.iter().map(|line| line.call).collect::<Vec<_>>()
    };
    assert_eq!(lines(json!(["E1: /var 40G 39G", "[E2]", "e1", "E9", 7])), [1, 3]);
    assert_eq!(lines(json!("/var 40G 39G")), [1]);
    assert_eq!(lines(json!(["E12", "E"])), [3], "the line that names web-1 stands in");
    assert_eq!(lines(json!([])), [0; 0], "the model says that there are none");
}

#[test]
fn what_is_missing_comes_from_the_record() {
    let reading = without("not_examined");
    let [failed] = reading.verdict.not_examined.as_slice() else { panic!("{reading:?}") };
    assert_eq!((failed.what.as_str(), failed.why.as_str()), ("host.tool_2", "[call 2] failed"));
    assert_eq!(without("confidence").verdict.confidence, Confidence::Medium);
    let mut unfounded = answer();
    unfounded["evidence"] = json!([]);
    unfounded["confidence"] = json!("certain");
    assert_eq!(read_json(&unfounded).verdict.confidence, Confidence::Low);
    assert_eq!(with("category", json!("Out of memory")).verdict.category, Category::OutOfMemory);
    assert_eq!(with("category", json!("full_disk")).verdict.category, Category::Other);
}

#[test]
fn only_a_cause_and_an_object_are_asked_for_again() {
    let problems = with("cause", json!(" ")).problems;
    assert_eq!(problems[0].to_string(), "cause: it is empty, and the outcome is cause_found");
    assert_eq!((problems.len(), problems[0].member), (1, "cause"));
    assert_eq!(without("object").problems.len(), 1);
    assert_eq!(with("alternatives", json!([{"cause": "a leak"}])).problems, []);
    assert_eq!(read_text("I do not know."), Err("it is no JSON object".to_owned()));
    let repaired = read_text("{cause: 'The disk is full', outcome: 'cause_found',}");
    assert!(repaired.unwrap().notes[0].starts_with("JSON: "));
}

#[test]
fn only_what_was_asked_for_changes() {
    let first = decode(&[], &answer().to_string(), &[]).unwrap();
    let other = r#"{"cause": "The moon", "object": {"kind": "disk", "name": "/var"}}"#;
    let mended = first.clone().with(decode(&[], other, &["object"]).unwrap(), &["object"]);
    let verdict = read(mended, &record()).verdict;
    assert_eq!(
        (verdict.cause.as_str(), verdict.object.name.as_str()),
        ("The disk is full", "/var")
    );
    let without =
        first.clone().with(decode(&[], r#"{"cause": ""}"#, &["object"]).unwrap(), &["object"]);
    assert_eq!(read(without, &record()).verdict.object.name, "web-1");
    let bare = decode(&[], r#"{"kind": "disk", "name": "/var"}"#, &["object"]).unwrap();
    assert_eq!(read(first.with(bare, &["object"]), &record()).verdict.object.name, "/var");
    assert!(decode(&[], r#"{"kind": "disk", "name": "/var"}"#, &["cause"]).is_err());
}

#[test]
fn names_and_times_that_nothing_shows_are_left_out() {
    let mut reading = read_json(&answer());
    reading.verdict.since = Some("10:05".to_owned());
    reading.verdict.object.namespace = Some("shop".to_owned());
    let unknown = stated(&reading.verdict, "The disk of Web-1 is full since 10:05.");
    assert_eq!(unknown, ["shop"]);
    reading.leave_out(&["shop".to_owned(), "10:05".to_owned()]);
    assert_eq!((&reading.verdict.object.namespace, &reading.verdict.since), (&None, &None));
    assert_eq!((reading.notes.len(), reading.problems.len()), (2, 0));
    assert!(!reading.notes.concat().contains("shop"), "a note has no text of a model");
    reading.leave_out(&["web-1".to_owned()]);
    assert_eq!((reading.verdict.object.name.as_str(), reading.problems.len()), ("", 1));
}

#[test]
fn a_schema_is_no_answer() {
    let schema = json!({"type": "object", "properties": {"cause": {"type": "string"}}});
    assert_eq!(read_text(&schema.to_string()), Err("it has no member of the schema".to_owned()));
}

#[test]
fn words_for_nothing_are_nothing() {
    for nothing in ["null", "None", " n/a ", "undefined"] {
        assert_eq!(with("since", json!(nothing)).verdict.since, None, "{nothing}");
    }
    let since = with("since", json!("nonexistent since 10:02")).verdict.since;
    assert_eq!(since.as_deref(), Some("nonexistent since 10:02"));
}
