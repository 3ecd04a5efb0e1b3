//! Whole postmortems of typed records. `tests/incident.md` is read by people as an editor would read it.

mod records;

use jiff::Timestamp;
use serde_json::json;
use tarsy_contracts::postmortem::RelatedSession;
use tarsy_domain::action::ActionOutcome;
use tarsy_domain::id::SessionId;
use tarsy_domain::postmortem::{CauseState, MomentKind};
use tarsy_domain::verdict::Outcome;

use self::records::{bare, checkout, review};
use super::{Record, compose, facts, markdown};

/// `cargo test` with `TARSY_TEST_BLESS=1` writes the file anew.
#[test]
fn an_incident_has_its_first_sign_and_its_end() {
    let related = RelatedSession {
        id: "01a20000-0000-7000-8000-000000000009".parse().unwrap(),
        title: Some("CartLatency".to_owned()),
        created_at: at("2026-02-11T09:55:00Z"),
        because: "same_group".to_owned(),
    };
    let made = compose(&[checkout()], vec![related]).unwrap();
    let text = markdown(&made);
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/postmortem/tests/incident.md");
    if bless() {
        std::fs::write(path, &text).unwrap();
    }
    let expected = std::fs::read_to_string(path).unwrap_or_default();
    assert_eq!(text, expected, "run with TARSY_TEST_BLESS=1, and read {path}");
}

#[expect(clippy::disallowed_methods, reason = "tests have no settings but the environment")]
fn bless() -> bool {
    std::env::var("TARSY_TEST_BLESS").is_ok()
}

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

#[test]
fn the_same_records_make_the_same_document() {
    let text = || markdown(&compose(&[checkout()], Vec::new()).unwrap());
    assert_eq!(text(), text());
    assert_eq!(compose(&[], Vec::new()), None);
}

#[test]
fn without_a_finding_nothing_is_claimed() {
    let made = compose(&[bare()], Vec::new()).unwrap();
    assert_eq!(
        (made.cause.state, made.cause.text.as_str()),
        (CauseState::NotFound, "The cause was not found")
    );
    assert_eq!((&made.impact.began, &made.impact.ended), (&None, &None));
    assert_eq!((made.impact.alerts, made.impact.notifications), (1, 1));
    for wanted in ["When it began", "When it was over, and what ended it", "The cause"] {
        assert!(made.to_fill.iter().any(|one| one == wanted), "{:?}", made.to_fill);
    }
    let kinds: Vec<_> = made.timeline.iter().map(|one| one.kind).collect();
    assert_eq!(kinds, [MomentKind::Alert, MomentKind::Finding]);
    assert!(made.helped.is_empty() && made.actions.is_empty(), "{made:?}");
    let text = markdown(&made);
    assert!(text.contains("The records show nothing that helped."), "{text}");
    assert!(text.contains("- Who was affected: **TO DO**\n- Began: **TO DO**"), "{text}");
}

#[test]
fn what_a_person_reviewed_stands_above_the_finding() {
    let of = |word: &str, actual: Option<&str>| {
        let record = Record { review: Some(review(word, actual)), ..checkout() };
        compose(&[record], Vec::new()).unwrap().cause
    };
    let right = of("accurate", None);
    assert_eq!((right.state, right.confidence.as_deref()), (CauseState::Reviewed, Some("high")));
    let other = of("wrong", Some("A full disk of the database"));
    assert_eq!(
        (other.state, other.text.as_str()),
        (CauseState::Reviewed, "A full disk of the database")
    );
    assert!(other.evidence.is_empty() && other.confidence.is_none(), "{other:?}");
    let wrong = of("wrong", None);
    assert_eq!(
        (wrong.state, wrong.text.as_str()),
        (CauseState::NotFound, "The cause was not found")
    );
    assert!(wrong.evidence.is_empty() && wrong.hint.is_none(), "{wrong:?}");
}

#[test]
fn a_finding_that_is_wrong_leaves_nothing_behind_but_what_was_measured() {
    let of = |word: &str, actual: Option<&str>| {
        let record = Record { review: Some(review(word, actual)), ..checkout() };
        compose(&[record], Vec::new()).unwrap()
    };
    for made in [of("wrong", None), of("wrong", Some("A full disk of the database"))] {
        let text = markdown(&made);
        for gone in
            ["executive summary", "The cause rests on", "explains the cause", "Set DB_POOL_SIZE"]
        {
            assert!(!text.contains(gone), "{gone}: {text}");
        }
        assert_eq!(made.impact.seconds_to_cause, None);
        let began = made.impact.began.unwrap();
        assert_eq!(
            began.stated_by, "call 2 (prometheus.query_range)",
            "not what the cause is dated"
        );
        assert!(made.actions.iter().any(|one| one.text == "Examine logs of the ingress"));
    }
    let corrected = of("partly", Some("The pool of the new release is too small"));
    assert_eq!(corrected.executive_summary, None, "it has the cause of before");
    let other = Record { review: Some(review("wrong", None)), ..checkout() };
    let made = compose(&[bare(), other], Vec::new()).unwrap();
    assert!(made.cause.others[0].ends_with("(reviewed as wrong)"), "{:?}", made.cause.others);
}

#[test]
fn a_summary_has_what_worked_and_how_the_alert_was_answered() {
    let mut record = checkout();
    for action in &mut record.detail.actions {
        action.outcome = Some(ActionOutcome::Unknown);
    }
    let verdict = record.detail.verdict.as_mut().unwrap();
    verdict.outcome = Outcome::NotExaminable;
    verdict.cause = String::new();
    let summary = compose(&[record], Vec::new()).unwrap().summary.join(" ");
    let shown = "not found. What the results show of the alert: 7.2 % of the requests of checkout fail with 500. ";
    assert!(summary.contains(shown), "{summary}");
    assert!(summary.ends_with("Whether 2 actions worked is unknown."), "{summary}");
}

#[test]
fn several_sessions_of_one_incident_are_one_document() {
    let mut second = checkout();
    second.detail.item.id = SessionId::new();
    second.detail.item.title = Some("CartLatency".to_owned());
    second.detail.verdict.as_mut().unwrap().cause = "checkout is slow".to_owned();
    let made = compose(&[bare(), second, checkout()], Vec::new()).unwrap();
    assert_eq!(made.sessions.len(), 3);
    assert_eq!(made.cause.text, "checkout is slow", "the first that states a cause");
    assert_eq!(made.cause.others.len(), 2);
    assert!(made.cause.others[0].starts_with("disk: no finding"), "{:?}", made.cause.others);
    let changes = made.timeline.iter().filter(|one| one.kind == MomentKind::Change).count();
    assert_eq!(changes, 1, "a change that both were given is one");
    let times: Vec<_> = made.timeline.iter().map(|one| one.at).collect();
    assert!(times.is_sorted(), "{times:?}");
}

#[test]
fn what_a_result_dates_long_before_the_alert_is_not_its_beginning() {
    let mut record = checkout();
    record.detail.verdict.as_mut().unwrap().since = Some("47d".to_owned());
    let made = compose(&[record], Vec::new()).unwrap();
    assert_eq!(made.cause.since.as_deref(), Some("47d"));
    let began = made.impact.began.unwrap();
    assert_eq!(
        (began.at, began.stated_by.as_str()),
        (at("2026-02-11T09:42:10Z"), "call 2 (prometheus.query_range)")
    );
    let mut record = checkout();
    record.detail.verdict.as_mut().unwrap().since = Some("5m".to_owned());
    let began = compose(&[record], Vec::new()).unwrap().impact.began.unwrap();
    assert_eq!(
        (began.at, began.stated_by.as_str()),
        (at("2026-02-11T09:41:30Z"), "call 1 (kubernetes.pods_log)")
    );
}

#[test]
fn hostile_texts_stay_texts() {
    let mut record = checkout();
    record.detail.item.title =
        Some("# Fake\n\n| a | @everyone [x](javascript:alert(1)) <img>".to_owned());
    record.detail.changes[0].text = "done | **bold** `code`".to_owned();
    record.detail.changes[0].link = Some("javascript:alert(1)".to_owned());
    record.detail.item.executive_summary = Some("Fine.\n\n## Ignore the rest".to_owned());
    record.facts.failures[0].error = Some("a\n\n- [ ] do this".to_owned());
    let text = markdown(&compose(&[record], Vec::new()).unwrap());
    let headings: Vec<_> = text.lines().filter(|line| line.starts_with('#')).collect();
    assert_eq!(headings.len(), 13, "{headings:?}");
    assert!(!text.contains("@everyone") && !text.contains("[x]("), "{text}");
    assert!(!text.contains("](<javascript") && !text.contains("<img>"), "{text}");
    assert!(!text.contains("\n- [ ] do this"), "{text}");
}

#[test]
fn a_storm_keeps_both_ends_of_its_timeline() {
    let mut record = checkout();
    let run = record.facts.alerts[0].clone();
    record.facts.alerts = (0..300_i64)
        .map(|number| {
            let first_seen_at = Timestamp::from_second(1_770_803_100 + number).unwrap();
            let title = format!("Alert {number}");
            tarsy_store::AlertRun { title, first_seen_at, last_seen_at: None, ..run.clone() }
        })
        .collect();
    let made = compose(&[record], Vec::new()).unwrap();
    assert_eq!(made.timeline.len(), 200);
    assert!(made.moments_left_out > 100, "{}", made.moments_left_out);
    assert!(markdown(&made).contains("moments of the middle are left out."));
    assert_eq!(json!(made.timeline[0].kind), json!("change"));
    let given = facts(&made);
    assert_eq!(given.len(), 120);
    assert!(given.iter().any(|fact| fact.text.starts_with("Cause, as a person")), "{given:?}");
    assert!(given.last().unwrap().text.contains(&made.timeline[199].text), "{given:?}");
}

#[test]
fn a_model_is_given_numbered_facts_with_who_states_them() {
    let made = compose(&[checkout()], Vec::new()).unwrap();
    let given = facts(&made);
    assert!(given.iter().zip(1..).all(|(fact, number)| fact.id == format!("F{number}")));
    let found = |text: &str| given.iter().find(|fact| fact.text.contains(text));
    let lasted = found("The incident lasted: 12 min").unwrap();
    assert_eq!(lasted.source, "the record");
    let changed = found("09:41:20 UTC: deployment of Deployment/checkout").unwrap();
    assert_eq!(changed.source, "argocd, changed by mia");
    assert!(found("pool exhausted: 2 of 2 connections").is_some(), "{given:?}");
    assert!(given.iter().all(|fact| fact.text.chars().count() <= 400), "{given:?}");
}
