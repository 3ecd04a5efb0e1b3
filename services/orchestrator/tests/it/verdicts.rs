//! The verdict of a session: reached by rules or asked of a model, checked, and stored once.

use serde_json::{Value, json};
use tarsy_catalog::{Backend, ResolvedChain, SuccessPolicy};
use tarsy_contracts::session::SessionDetail;
use tarsy_contracts::trace::LlmInteraction;
use tarsy_domain::event::LlmInteractionKind;
use tarsy_domain::id::SessionId;
use tarsy_domain::status::SessionStatus;
use tarsy_domain::verdict::{
    AffectedObject, AlertStatement, Category, Confidence, Evidence, Outcome, Source, Verdict,
    VerdictFailure,
};
use tarsy_llm::{Chunk, Error, Script, ScriptedLlm, ToolCall};
use tarsy_tools::ScriptedToolbox;

use crate::changes::changed;
use crate::stack::{Stack, SubmittedSession, VERDICT, answer_with, calls, chain, text, usage};

const DISK: &str = "filesystem size used\n/var       40G  39G\n/home      90G  12G\n";
const CONCLUSION: &str = "On `/var` of web-1, 39G of 40G are used [call 1].";

/// A chain whose agent and whose executive summary are a model's.
fn of_model() -> ResolvedChain {
    let mut chain = chain();
    chain.stages[0].agents[0].provider.backend = Backend::Langchain;
    chain.executive_summary_provider.backend = Backend::Langchain;
    chain
}

async fn stack(verdicts: impl IntoIterator<Item = Script>) -> Stack {
    stack_with(DISK, verdicts).await
}

/// A stack whose tool answers with this.
async fn stack_with(result: &str, verdicts: impl IntoIterator<Item = Script>) -> Stack {
    let toolbox = ScriptedToolbox::new().tool("host.load").answers("host.load", result);
    let turns = [calls("host.load"), answer_with(CONCLUSION), answer_with("39G are used.")];
    let mut stack = Stack::with([], toolbox).await;
    stack.llm = ScriptedLlm::new(turns).with_format(VERDICT, verdicts);
    stack
}

async fn ended(stack: &Stack, chain: &ResolvedChain) -> (SubmittedSession, SessionDetail) {
    stack.worker("one").await;
    let mut submitted = stack.submit(chain).await;
    submitted.ends(SessionStatus::Completed).await;
    stack.check_end(&submitted, SessionStatus::Completed).await;
    let detail = detail(stack, submitted.id).await;
    (submitted, detail)
}

async fn detail(stack: &Stack, id: SessionId) -> SessionDetail {
    stack.store.find_session_detail(id).await.unwrap().unwrap()
}

fn answer() -> Value {
    json!({
        "cause": "The disk is full.",
        "category": "disk",
        "object": {"kind": "host", "name": "web-1"},
        "confidence": "high",
        "evidence": ["E1"],
        "alternatives": [],
        "not_examined": [{"what": "inodes", "why": "no tool shows them"}],
        "next_steps": ["Look for large files"],
    })
}

fn recording(answer: &Value) -> Script {
    answer_with(&answer.to_string())
}

#[tokio::test]
async fn a_model_is_asked_for_the_verdict_in_its_form() {
    let stack = stack([recording(&answer())]).await;
    let (mut submitted, detail) = ended(&stack, &of_model()).await;
    let verdict = detail.verdict.unwrap();
    assert_eq!((verdict.source, verdict.category), (Source::Model, Category::Disk));
    assert_eq!(
        (verdict.cause.as_str(), verdict.object.name.as_str()),
        ("The disk is full", "web-1")
    );
    let [line] = verdict.evidence.as_slice() else { panic!("{verdict:?}") };
    assert_eq!((line.call, line.line, line.text.as_str()), (1, 2, "/var       40G  39G"));
    assert_eq!(detail.verdict_failure, None);
    let derived = (verdict.outcome, verdict.alert_statement);
    assert_eq!(derived, (Outcome::CauseFound, AlertStatement::Confirmed), "it left both out");

    let request = stack.llm.requests_of_format().remove(0);
    let (prompt, format) = (&request.messages[1].content, request.response_format.unwrap());
    for part in [
        CONCLUSION,
        "- [call 1] host.load {}: completed",
        "E1 [call 1, line 2] /var 40G 39G",
        &format.schema,
    ] {
        assert!(prompt.contains(part), "{part} is not in {prompt}");
    }
    assert!(request.tools.is_empty(), "a tool on offer would not be forced");
    let call = of_verdict(&stack, &submitted).await.remove(0);
    assert_eq!(
        (call.brief.total_tokens, &call.record.response_format),
        (Some(15), &Some(format.schema))
    );
    assert_eq!(call.record.answer_notes, [""; 0]);
    submitted.receive_all_events(&stack).await;
    let reported = submitted.events.iter().filter(|one| one["type"] == "verdict.recorded").count();
    assert_eq!(reported, 1);
}

#[tokio::test]
async fn a_models_verdict_has_the_values_over_time_that_it_cites_and_the_change_that_explains_it() {
    const USED: [f64; 8] = [60.5, 61.0, 60.8, 61.1, 97.0, 98.2, 99.1, 99.6];
    let pairs: Vec<Value> = (0..)
        .zip(USED)
        .map(|(minute, used)| json!([1_772_359_200 + minute * 60, used.to_string()]))
        .collect();
    let metric = json!({"__name__": "disk_used_percent", "instance": "web-1:9100"});
    let result = format!(
        "/var of web-1: 39G of 40G are used\n{}",
        json!({"resultType": "matrix", "result": [{"metric": metric, "values": pairs}]})
    );
    let mut answer = answer();
    answer["change"] = json!("C1");
    let stack = stack_with(&result, [recording(&answer)]).await;
    changed(&stack, "web-1", "logs are kept for a year").await;
    let (_, detail) = ended(&stack, &of_model()).await;
    let verdict = detail.verdict.unwrap();
    let prompt = &stack.llm.requests_of_format().remove(0).messages[1].content;
    assert!(prompt.contains("C1 ") && prompt.contains("logs are kept for a year"), "{prompt}");
    let Some(change) = &verdict.change else { panic!("{verdict:?}") };
    assert_eq!(
        (change.id, change.text.as_str()),
        (Some(detail.changes[0].id), "logs are kept for a year")
    );
    let [chart] = verdict.charts.as_slice() else { panic!("{verdict:?}") };
    assert_eq!(
        (chart.call, chart.metric.as_str(), chart.object.as_str()),
        (1, "disk_used_percent", "web-1")
    );
    assert_eq!(chart.points.iter().map(|point| point.value).collect::<Vec<_>>(), USED);
    assert_eq!(chart.change.unwrap().at, chart.points[4].at);

    answer["confidence"] = json!("low");
    let stack = stack_with(&result, [recording(&answer)]).await;
    changed(&stack, "web-1", "logs are kept for a year").await;
    let (_, detail) = ended(&stack, &of_model()).await;
    let hint = detail.verdict.unwrap();
    assert_eq!((hint.charts, hint.change), (Vec::new(), None), "a hint is no cause");
}

/// The calls of the model for the verdict.
async fn of_verdict(stack: &Stack, submitted: &SubmittedSession) -> Vec<LlmInteraction> {
    let mut calls = stack.model_calls(submitted.id).await;
    calls.retain(|call| call.brief.kind == LlmInteractionKind::Verdict);
    calls
}

#[tokio::test]
async fn a_model_that_records_it_with_a_call_is_understood() {
    let call = Chunk::ToolCall(ToolCall {
        id: "v1".to_owned(),
        name: "verdict".to_owned(),
        arguments: answer().to_string(),
        ..ToolCall::default()
    });
    let stack = stack([Script::Answer(vec![call, usage()])]).await;
    let (_, detail) = ended(&stack, &of_model()).await;
    assert_eq!(detail.verdict.unwrap().category, Category::Disk);
}

#[tokio::test]
async fn an_object_inside_of_text_is_the_answer() {
    let text = format!("```json\n{}\n```", answer());
    let stack = stack([answer_with(&text)]).await;
    let (_, detail) = ended(&stack, &of_model()).await;
    assert_eq!(detail.verdict.unwrap().confidence, Confidence::High);
}

#[tokio::test]
async fn what_a_model_is_not_sure_of_is_a_hint_and_its_outcome_is_stored() {
    let mut unsure = answer();
    unsure["confidence"] = json!("low");
    let (_, detail) = ended(&stack([recording(&unsure)]).await, &of_model()).await;
    let verdict = detail.verdict.unwrap();
    assert_eq!(verdict.outcome, Outcome::NoFaultFound);
    assert_eq!(verdict.alert_statement, AlertStatement::NotConfirmed);
    assert_eq!(verdict.hint(), Some("The disk is full"));

    let mut elsewhere = answer();
    elsewhere["outcome"] = json!("not_examinable");
    elsewhere["cause"] = json!("");
    elsewhere["answer"] = json!("The alert is about db-2; only web-1 was examined.");
    let (_, detail) = ended(&stack([recording(&elsewhere)]).await, &of_model()).await;
    let verdict = detail.verdict.unwrap();
    let ended = (verdict.outcome, verdict.alert_statement, verdict.cause.as_str());
    assert_eq!(ended, (Outcome::NotExaminable, AlertStatement::NotVisible, ""));
    assert_eq!(verdict.answer, "The alert is about db-2; only web-1 was examined");
}

#[tokio::test]
async fn what_cannot_be_used_is_left_out_and_noted_without_another_call() {
    let mut wrong = answer();
    wrong["evidence"] = json!(["E1", "E9"]);
    wrong["confidence"] = json!("quite");
    wrong["category"] = json!("full_disk");
    wrong["not_examined"] = json!(7);
    wrong["since"] = json!("last Tuesday");
    let stack = stack([recording(&wrong)]).await;
    let (submitted, detail) = ended(&stack, &of_model()).await;
    let verdict = detail.verdict.unwrap();
    assert_eq!((verdict.evidence.len(), verdict.confidence), (1, Confidence::Medium));
    assert_eq!((verdict.category, verdict.since), (Category::Other, None));
    assert_eq!(verdict.outcome, Outcome::CauseFound);
    let call = of_verdict(&stack, &submitted).await.remove(0);
    assert_eq!(call.brief.error_message, None);
    let notes = call.record.answer_notes;
    for member in ["evidence: 1 of 2", "confidence: ", "category: ", "not_examined: ", "since: "] {
        assert!(notes.iter().any(|note| note.starts_with(member)), "{member}: {notes:?}");
    }
}

#[tokio::test]
async fn an_object_that_nothing_names_is_asked_for_alone() {
    let mut invented = answer();
    invented["object"]["name"] = json!("web-7");
    let of_result = json!({
        "object": {"kind": "filesystem", "name": "/home", "namespace": null},
        "cause": "A second cause",
    });
    let stack = stack([recording(&invented), recording(&of_result)]).await;
    let (submitted, detail) = ended(&stack, &of_model()).await;
    let verdict = detail.verdict.unwrap();
    assert_eq!(verdict.object.name, "/home", "a result names it");
    assert_eq!((verdict.cause.as_str(), verdict.evidence.len()), ("The disk is full", 1));
    let repair = stack.llm.requests_of_format().remove(1);
    let schema: Value = serde_json::from_str(&repair.response_format.unwrap().schema).unwrap();
    assert_eq!(schema["required"], json!(["object"]), "the rest is not written again");
    let problem = "object.name: \"web-7\" stands neither in the analysis nor in a result";
    let asked = &repair.messages.last().unwrap().content;
    assert!(
        asked.contains(problem) && asked.contains("no other members than \"object\""),
        "{asked}"
    );
    let calls = of_verdict(&stack, &submitted).await;
    let error = calls[0].brief.error_message.as_deref();
    assert!(error.is_some_and(|error| error.contains(problem)), "{error:?}");
    assert_eq!(calls[1].brief.error_message, None);
}

#[tokio::test]
async fn a_verdict_is_kept_without_the_object_that_nothing_names() {
    let mut invented = answer();
    invented["object"]["name"] = json!("web-7");
    let again = stack([recording(&invented), recording(&invented)]).await;
    let worse = stack([recording(&invented), answer_with("I cannot.")]).await;
    let refused =
        stack([recording(&invented), Script::Refusal(Error::Transport("gone".to_owned()))]);
    for stack in [again, worse, refused.await] {
        let (_, detail) = ended(&stack, &of_model()).await;
        let verdict = detail.verdict.unwrap();
        assert_eq!(
            (verdict.cause.as_str(), verdict.object.name.as_str()),
            ("The disk is full", "")
        );
        assert_eq!(detail.verdict_failure, None);
    }
}

#[tokio::test]
async fn a_session_completes_without_a_verdict_that_is_wrong_twice() {
    let nonsense = || answer_with("The cause is the disk.");
    let stack = stack([nonsense(), nonsense(), recording(&answer())]).await;
    let (_, detail) = ended(&stack, &of_model()).await;
    assert_eq!((detail.verdict, detail.verdict_failure), (None, Some(VerdictFailure::Invalid)));
    assert_eq!(stack.llm.requests_of_format().len(), 2);
    assert_eq!(detail.item.executive_summary.as_deref(), Some("39G are used."));
}

#[tokio::test]
async fn a_session_completes_without_a_model_for_the_verdict() {
    let error = Error::Provider {
        message: "the key is not valid".to_owned(),
        code: "credentials".to_owned(),
        retryable: false,
        retry_after: None,
        variable: None,
    };
    let refused = stack([Script::Refusal(error)]).await;
    let (_, of_refused) = ended(&refused, &of_model()).await;
    assert_eq!(of_refused.verdict_failure, Some(VerdictFailure::Failed));

    let offline = stack([]).await;
    let mut chain = of_model();
    chain.executive_summary_provider.backend = Backend::Offline;
    let (_, of_offline) = ended(&offline, &chain).await;
    assert_eq!(of_offline.verdict_failure, Some(VerdictFailure::NoModel));
}

#[tokio::test]
async fn a_chain_may_ask_for_no_verdict() {
    let stack = stack([]).await;
    let mut chain = of_model();
    chain.verdict = false;
    let (_, detail) = ended(&stack, &chain).await;
    assert_eq!(detail.verdict_failure, Some(VerdictFailure::SwitchedOff));
    assert!(stack.llm.requests_of_format().is_empty());
}

#[tokio::test]
async fn an_owner_that_dies_during_the_answer_leaves_one_verdict() {
    let mut stack = stack([]).await;
    let turns =
        [calls("host.load"), answer_with(CONCLUSION), answer_with("39G."), answer_with("39G.")];
    let verdicts = [Script::Pause(vec![text("{")], vec![]), recording(&answer())];
    stack.llm = ScriptedLlm::new(turns).with_format(VERDICT, verdicts);
    let first = stack.doomed("one").await;
    let mut submitted = stack.submit(&of_model()).await;
    stack.asks_for_verdicts(1).await;
    first.kill().await;
    stack.abandoned().await;
    stack.worker("two").await;
    submitted.ends(SessionStatus::Completed).await;
    let detail = detail(&stack, submitted.id).await;
    assert_eq!(detail.verdict.map(|verdict| verdict.source), Some(Source::Model));
    assert_eq!(stack.llm.requests_of_format().len(), 2);
}

fn found(name: &str, confidence: Confidence) -> Verdict {
    let (outcome, alert_statement) = match confidence {
        Confidence::Low => (Outcome::NoFaultFound, AlertStatement::NotConfirmed),
        Confidence::Medium | Confidence::High => (Outcome::CauseFound, AlertStatement::Confirmed),
    };
    Verdict {
        outcome,
        alert_statement,
        answer: "confirmed: 39G of 40G".to_owned(),
        cause: "the disk is full".to_owned(),
        category: Category::Disk,
        object: AffectedObject { kind: "host".to_owned(), name: name.to_owned(), namespace: None },
        since: None,
        confidence,
        evidence: vec![
            Evidence { call: 1, line: 9, text: "40G  39G".to_owned() },
            Evidence { call: 1, line: 2, text: "no result has this".to_owned() },
        ],
        alternatives: Vec::new(),
        not_examined: Vec::new(),
        charts: Vec::new(),
        change: None,
        next_steps: Vec::new(),
        source: Source::Rules,
    }
}

fn concluding(name: &str, confidence: Confidence) -> Script {
    let verdict = Chunk::Verdict(Box::new(found(name, confidence)));
    Script::Answer(vec![text(CONCLUSION), verdict, usage()])
}

#[tokio::test]
async fn the_offline_analyst_reaches_the_verdict_with_its_conclusion() {
    let mut stack = stack([]).await;
    let turns = [calls("host.load"), concluding("web-1", Confidence::Low), answer_with("Full.")];
    stack.llm = ScriptedLlm::new(turns).with_format(VERDICT, []);
    let (_, detail) = ended(&stack, &chain()).await;
    let verdict = detail.verdict.unwrap();
    assert_eq!((verdict.source, verdict.object.name.as_str()), (Source::Rules, "web-1"));
    let [line] = verdict.evidence.as_slice() else { panic!("{verdict:?}") };
    assert_eq!((line.line, line.text.as_str()), (2, "40G  39G"), "the line is where it stands");
    assert!(stack.llm.requests_of_format().is_empty());
}

#[tokio::test]
async fn the_analyst_may_find_nothing() {
    let (_, detail) = ended(&stack([]).await, &chain()).await;
    assert_eq!(
        (detail.verdict, detail.verdict_failure),
        (None, Some(VerdictFailure::NothingFound))
    );
}

#[tokio::test]
async fn of_several_analysts_the_surest_verdict_counts() {
    let mut stack = stack([]).await;
    let turns = [
        concluding("web-1", Confidence::Low),
        concluding("web-2", Confidence::High),
        concluding("web-3", Confidence::High),
        answer_with("Full."),
    ];
    stack.llm = ScriptedLlm::new(turns).with_format(VERDICT, []);
    // The third turn is the synthesis, whose own verdict would rest on what others wrote.
    let (_, detail) = ended(&stack, &crate::flows::replicas(2, SuccessPolicy::All)).await;
    assert_eq!(detail.verdict.unwrap().object.name, "web-2");
}
