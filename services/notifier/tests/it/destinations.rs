//! Chats, incidents and issues: what they are sent, and that each message is there once.

use std::fmt::Write as _;
use std::time::Duration;

use tarsy_contracts::alert::AlertFields;
use tarsy_domain::status::SessionStatus;
use tarsy_embedded::Child;
use tarsy_store::Claim;
use tarsy_testkit::{a_session, a_verdict, record_verdict};

use crate::approvals::waiting;
use crate::stack::{Alert, Stack};
use crate::vendors::{ALL, Mood, Played, Vendor};

/// Longer than a pause after a request without an answer.
const LONG: Duration = Duration::from_mins(2);
const PENDING: &str = "select count(*) from notifications where status = 'pending'";
const SENT: &str = "select count(*) from notifications where status = 'sent'";
const SKIPPED: &str = "select count(*) from notifications where status = 'skipped'";

async fn played(moods: &[Mood]) -> Vec<Played> {
    let mut all = Vec::new();
    for vendor in ALL {
        all.push(Played::start(vendor, moods).await);
    }
    all
}

/// With one destination for each, and PagerDuty as a source of alerts.
async fn stack_for(all: &[Played]) -> Stack {
    let lines: Vec<String> = all.iter().map(Played::config).collect();
    Stack::new(&format!(
        "system: {{dashboard_url: 'https://tarsy.example'}}\nintake: {{sources: {{pager: {{kind: pagerduty, \
         verification: hmac, secret_env: HOOK_SECRET}}}}}}\nnotifications:\n  destinations:\n    {}\n",
        lines.join("\n    ")
    ))
    .await
}

async fn notifier(stack: &Stack, all: &[Played]) -> Child {
    let variables: Vec<(&str, String)> = all.iter().map(Played::variable).collect();
    stack.notifier_with(&variables).await
}

/// A session whose alert is the incident `Q1` of PagerDuty.
async fn incident(stack: &Stack) -> Claim {
    let text = |text: &str| Some(text.to_owned());
    let fields = AlertFields {
        title: text("Disk *full* on web-1 @channel <!here>"),
        severity: text("critical"),
        service: text("web"),
        namespace: text("shop"),
        fingerprint: text("disk-web-1"),
        ..AlertFields::default()
    };
    let claim = stack.running_session(a_session().alert_type(Some("host")).fields(fields)).await;
    sqlx::query(
        "insert into intake_alerts (id, source, source_id, fingerprint, status, title, alert_type, chain_id, action,
             reason, decision, session_id)
         values (gen_random_uuid(), 'pager', 'Q1', 'disk-web-1', 'firing', 'x', 'host', 'host', 'open', 'new', '{}', $1)",
    )
    .bind(claim.session.id.uuid())
    .execute(&stack.raw)
    .await
    .unwrap();
    claim
}

const FINDINGS: &str = "## Cause\nThe disk of **web-1** is full, @room and @channel:\n\n1. `/var/log` has 40 GB\n2. see \
                        [this](https://evil.example) ![x](https://evil.example/x.png)\n\n```\ndf -h\n```";

#[tokio::test]
async fn every_destination_has_start_and_end_in_one_thread_with_the_same_facts() {
    let all = played(&[]).await;
    let stack = stack_for(&all).await;
    let notifier = notifier(&stack, &all).await;
    let claim = incident(&stack).await;
    stack.within(LONG, "starts are sent", async || stack.count(SENT).await == 6).await;
    waiting(&stack, &claim).await;
    stack.within(LONG, "people are asked", async || stack.count(SENT).await == 10).await;
    record_verdict(&stack.store, &claim, a_verdict()).await.unwrap();
    stack.end(&claim, SessionStatus::Completed, FINDINGS).await;
    stack.within(LONG, "ends are sent", async || stack.count(SENT).await == 16).await;
    let ends: Vec<_> = all.iter().map(|one| (one, one.kept().len())).collect();
    let names: Vec<String> = all.iter().map(Played::name).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    stack.week("2026-W09", &names).await;
    let open = "select count(*) from weekly_deliveries where status = 'pending'";
    stack.within(LONG, "the week is sent", async || stack.count(open).await == 0).await;
    for (one, before) in ends {
        let is_read = !matches!(one.vendor, Vendor::Jira | Vendor::PagerDuty);
        assert_eq!(one.kept().len(), before + usize::from(is_read), "{:?}", one.vendor);
        if is_read {
            let text = one.text(one.kept().last().unwrap());
            assert!(text.contains("what came again in 2026"), "{text}");
            assert!(text.contains("Open the week"), "{text}");
        }
    }
    notifier.stop(Duration::from_secs(30)).await;

    let session = claim.session.id.to_string();
    let mut report = String::new();
    for one in &all {
        let kept = one.kept();
        let (start, asked, end) = match &kept[..] {
            [start, asked, end, _week] => (start, Some(asked), end),
            [start, end] => (start, None, end),
            other => panic!("{:?}: {other:#?}", one.vendor),
        };
        let (root, thread) = (Some(start.id.as_str()), end.thread.as_deref());
        match one.vendor {
            Vendor::Mattermost | Vendor::Matrix | Vendor::Jira => assert_eq!(thread, root),
            Vendor::Teams => assert_eq!(thread, None),
            Vendor::GoogleChat => assert_eq!(thread, Some(session.as_str())),
            Vendor::PagerDuty => assert_eq!((thread, &start.thread), (Some("Q1"), &end.thread)),
        }
        if let Some(asked) = asked {
            assert_eq!(asked.thread, end.thread, "{:?}", one.vendor);
            is_a_request(&one.text(asked), &session);
        }
        let text = one.text(end).replace(&session, "SESSION").replace('\u{200b}', "⁞");
        writeln!(report, "--- {:?}\n{}", one.vendor, without_marker(&text)).unwrap();
    }
    insta::assert_snapshot!(report);
    assert!(!stack.log().contains("s3cret") && !stack.log().contains("t0ken"), "{}", stack.log());
}

/// Without the arguments of the call, because nobody decides there.
fn is_a_request(text: &str, session: &str) {
    let plain = text.replace(['\\', '*'], "");
    for part in [
        "Approval needed",
        "Disk full on web-1",
        "critical",
        "kubernetes-server.pods_delete",
        "its name has the word",
        " min left)",
        "If nobody decides, the call is denied.",
        "Approve or deny",
        &format!("https://tarsy.example/sessions/{session}#step-"),
    ] {
        assert!(plain.contains(part), "{part}: {text}");
    }
    assert!(!plain.contains("hunter2") && !plain.contains("web-1 ```"), "{text}");
}

/// The id in the last line is another one each time.
fn without_marker(text: &str) -> &str {
    text.split("\n\nTARSy notification").next().unwrap()
}

#[tokio::test]
async fn rate_limits_pause_and_failures_are_retried_until_the_message_is_there_once() {
    let all = played(&[Mood::Limited, Mood::Broken]).await;
    let stack = stack_for(&all).await;
    let _notifier = notifier(&stack, &all).await;
    let claim = incident(&stack).await;
    stack.within(LONG, "starts are sent", async || stack.count(SENT).await == 6).await;
    for one in &all {
        assert_eq!((one.kept().len(), one.writes()), (1, 3), "{:?}", one.vendor);
    }
    let counted = "select count(*) from notifications where failures = 1 and kind = 'started'";
    assert_eq!(stack.count(counted).await, 6, "a rate limit counts as no failure");
    stack.end(&claim, SessionStatus::Failed, "").await;
    stack.within(LONG, "ends are sent", async || stack.count(SENT).await == 12).await;
    for one in &all {
        assert!(one.text(&one.kept()[1]).contains("The model went away"), "{:?}", one.vendor);
    }
}

#[tokio::test]
async fn a_notifier_that_is_killed_in_mid_send_leaves_one_message_where_a_service_can_be_searched()
{
    let all = played(&[Mood::HangsAfter]).await;
    let stack = stack_for(&all).await;
    let first = notifier(&stack, &all).await;
    incident(&stack).await;
    stack.until("all are asked", async || all.iter().all(|one| !one.kept().is_empty())).await;
    first.kill().await;
    stack.end_claims().await;
    let _second = notifier(&stack, &all).await;
    stack.within(LONG, "starts are sent", async || stack.count(SENT).await == 6).await;
    for one in &all {
        // The webhook of a workflow has neither ids nor a list of messages: each attempt, also of the first notifier, is one.
        let kept = one.kept().len();
        let is_searched = one.vendor != Vendor::Teams;
        assert!(if is_searched { kept == 1 } else { kept >= 2 }, "{:?}: {kept}", one.vendor);
    }
    let references = "select count(*) from notifications where external_ref is not null";
    assert_eq!(stack.count(references).await, 5);
}

#[tokio::test]
async fn an_alert_without_an_incident_or_issue_is_skipped_there() {
    let pagerduty = Played::start(Vendor::PagerDuty, &[]).await;
    let jira = Played::start(Vendor::Jira, &[]).await;
    let lines = [pagerduty.config(), jira.config().replace("project: OPS", "issue_label: issue")];
    let config = lines.join("\n    ");
    let stack = Stack::new(&format!("notifications:\n  destinations:\n    {config}\n")).await;
    let _notifier = stack.notifier_with(&[pagerduty.variable()]).await;
    stack.ended(Alert::default(), SessionStatus::Completed).await;
    stack.until("both are skipped", async || stack.count(SKIPPED).await >= 2).await;
    stack.until("nothing waits", async || stack.count(PENDING).await == 0).await;
    let labels = [("issue".to_owned(), "NET-7".to_owned())].into();
    let fields = AlertFields { labels, ..AlertFields::default() };
    let claim = stack.running_session(a_session().fields(fields)).await;
    stack.end(&claim, SessionStatus::Completed, "the disk was full").await;
    let ends = "select count(*) from notifications where kind = 'ended' and status = 'sent'";
    stack.until("Jira has the second one", async || stack.count(ends).await == 1).await;
    assert_eq!(
        (pagerduty.writes(), stack.count("select count(*) from dead_letters").await),
        (0, 0)
    );
    assert!(jira.kept().iter().all(|one| one.thread.as_deref() == Some("NET-7")));
}
