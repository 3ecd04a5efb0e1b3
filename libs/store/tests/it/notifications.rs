//! Which destinations are notified of which session.

use std::time::Duration;

use serde_json::Value;
use tarsy_contracts::alert::AlertFields;
use tarsy_domain::access::Identification;
use tarsy_domain::event::ApprovalDecision;
use tarsy_domain::id::{SessionId, TriageEntryId};
use tarsy_domain::review::Review;
use tarsy_domain::status::SessionStatus;
use tarsy_domain::triage::Triage;
use tarsy_store::{
    Decider, NewApprovalNotification, NewNotification, NewReview, NewSession, Notification,
    NotificationKind, NotificationOutcome, SendAttempt, ShareOutcome, TriageChange,
    UnnotifiedApproval, UnnotifiedSession,
};

use crate::approvals::requested;
use crate::setup::{Db, alert, db, end};

const LEASE: Duration = Duration::from_mins(10);

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

fn row(session_id: SessionId, kind: NotificationKind, destination: &str) -> NewNotification {
    NewNotification { session_id, kind, destination: destination.to_owned(), send: true }
}

impl Db {
    async fn finished(&self, new: NewSession) -> SessionId {
        let id = self.create(new).await;
        let fence = self.claim().await.unwrap().fence;
        assert_eq!(fence.session_id, id);
        self.store.finish_session(fence, end(SessionStatus::Completed)).await.unwrap();
        id
    }

    async fn list_unnotified(&self, whom: &[&str]) -> Vec<UnnotifiedSession> {
        self.store.list_unnotified(&names(whom), None, 10).await.unwrap()
    }

    async fn due(&self, whom: &[&str]) -> Vec<Notification> {
        self.store.claim_notifications(&names(whom), 10, LEASE).await.unwrap()
    }

    async fn let_claims_run_out(&self) {
        sqlx::query("update notifications set due_at = now()").execute(&self.raw).await.unwrap();
    }
}

#[tokio::test]
async fn a_start_or_end_is_unnotified_until_every_destination_has_a_row() {
    let db = db().await;
    let before = db.finished(alert()).await;
    db.store.register_destinations(&names(&["a", "b"])).await.unwrap();
    assert_eq!(db.list_unnotified(&["a", "b"]).await, []);

    let fingerprint = Some("disk".to_owned());
    let running = db.create(NewSession { slack_message_fingerprint: fingerprint, ..alert() }).await;
    db.claim().await.unwrap();
    let host = NewSession { alert_type: Some("host".to_owned()), ..alert() };
    let over = db.finished(host).await;
    let found = db.list_unnotified(&["a", "b"]).await;
    assert_eq!(found.iter().map(|one| one.session_id).collect::<Vec<_>>(), [running, over]);
    let [began, ended] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!((began.kind, began.has_fingerprint), (NotificationKind::Started, true));
    assert_eq!((ended.kind, ended.status), (NotificationKind::Ended, SessionStatus::Completed));
    assert_eq!(ended.alert_type.as_deref(), Some("host"));
    let only = db.store.list_unnotified(&names(&["a"]), Some(over), 10).await.unwrap();
    assert_eq!(only.len(), 1);

    let mut rows = vec![
        row(running, NotificationKind::Started, "a"),
        row(over, NotificationKind::Ended, "a"),
        row(over, NotificationKind::Ended, "b"),
    ];
    rows[2].send = false;
    assert_eq!(db.store.insert_notifications(&rows).await.unwrap(), 2);
    assert_eq!(db.store.insert_notifications(&rows).await.unwrap(), 0);
    assert_eq!(db.list_unnotified(&["a"]).await, []);
    assert_eq!(db.list_unnotified(&["a", "b"]).await.len(), 1);
    let nowhere = [row(SessionId::new(), NotificationKind::Ended, "a")];
    assert_eq!(db.store.insert_notifications(&nowhere).await.unwrap(), 0);
    assert_eq!(db.store.count_pending_notifications(&names(&["a", "b"])).await.unwrap(), 2);
    assert_ne!(before, over);
}

#[tokio::test]
async fn a_destination_that_nobody_named_for_a_day_begins_anew() {
    let db = db().await;
    let known = names(&["a"]);
    db.store.register_destinations(&known).await.unwrap();
    let id = db.finished(alert()).await;
    db.store.register_destinations(&known).await.unwrap();
    assert_eq!(db.list_unnotified(&["a"]).await[0].session_id, id);
    sqlx::query("update notification_destinations set seen_at = now() - interval '25 hours'")
        .execute(&db.raw)
        .await
        .unwrap();
    db.store.register_destinations(&known).await.unwrap();
    assert_eq!(db.list_unnotified(&["a"]).await, []);
}

#[tokio::test]
async fn a_notification_is_claimed_by_one_until_its_claim_runs_out() {
    let db = db().await;
    let id = db.finished(alert()).await;
    db.store.insert_notifications(&[row(id, NotificationKind::Ended, "a")]).await.unwrap();
    assert_eq!(db.due(&["b"]).await, []);
    let first = db.due(&["a"]).await.remove(0);
    assert_eq!((first.session_id, first.status), (id, SessionStatus::Completed));
    assert_eq!((first.claim, first.failures, first.attempted_at), (1, 0, None));
    assert_eq!(db.due(&["a"]).await, []);
    assert_eq!(
        db.store.begin_notification_send(first.id, 1, Some("17.1")).await.unwrap(),
        SendAttempt::Allowed
    );

    db.let_claims_run_out().await;
    assert_eq!(
        db.store.begin_notification_send(first.id, 1, None).await.unwrap(),
        SendAttempt::Superseded
    );
    let second = db.due(&["a"]).await.remove(0);
    assert_eq!((second.claim, second.thread_ref.as_deref()), (2, Some("17.1")));
    assert!(second.attempted_at.is_some());
    let sent = |name: &str| NotificationOutcome::Sent { external_ref: Some(name.to_owned()) };
    assert!(!db.store.finish_notification(first.id, 1, sent("late")).await.unwrap());
    assert!(db.store.finish_notification(first.id, 2, sent("17.2")).await.unwrap());
    assert!(
        !db.store.finish_notification(first.id, 2, NotificationOutcome::Skipped).await.unwrap()
    );
    db.let_claims_run_out().await;
    assert_eq!(db.due(&["a"]).await, []);
    assert_eq!(db.count("select count(*) from notifications where external_ref = '17.2'").await, 1);
}

#[tokio::test]
async fn an_end_waits_for_the_word_of_the_start_and_goes_where_that_went() {
    let db = db().await;
    let id = db.finished(alert()).await;
    let kinds = [NotificationKind::Ended, NotificationKind::Started];
    db.store.insert_notifications(&kinds.map(|kind| row(id, kind, "a"))).await.unwrap();
    let start = db.due(&["a"]).await;
    assert_eq!(start.iter().map(|one| one.kind).collect::<Vec<_>>(), [NotificationKind::Started]);
    let tried = db.store.begin_notification_send(start[0].id, 1, Some("17.1")).await.unwrap();
    assert_eq!(tried, SendAttempt::Obsolete, "the session has ended");
    assert!(
        db.store.finish_notification(start[0].id, 1, NotificationOutcome::Skipped).await.unwrap()
    );
    let ended = db.due(&["a"]).await.remove(0);
    assert_eq!(
        (ended.kind, ended.started_thread_ref.as_deref()),
        (NotificationKind::Ended, Some("17.1"))
    );
}

#[tokio::test]
async fn a_notification_has_what_the_alert_is_about_and_the_message_of_the_start() {
    let db = db().await;
    let fields = AlertFields {
        title: Some("Disk full".to_owned()),
        labels: [("team".to_owned(), "web".to_owned())].into(),
        ..AlertFields::default()
    };
    let id = db.create(NewSession { fields: fields.clone(), ..alert() }).await;
    for (source, source_id) in [("pager", Some("Q1")), ("other", Some("Q2"))] {
        sqlx::query(
            "insert into intake_alerts (id, source, source_id, fingerprint, status, title, alert_type, chain_id, action,
                 reason, decision, session_id)
             values (gen_random_uuid(), $1, $2, 'f', 'firing', 'x', 'host', 'host', 'attach', 'new', '{}', $3)",
        )
        .bind(source)
        .bind(source_id)
        .bind(id.uuid())
        .execute(&db.raw)
        .await
        .unwrap();
    }
    let kinds = [NotificationKind::Started, NotificationKind::Ended];
    let fence = db.claim().await.unwrap().fence;
    db.store.insert_notifications(&kinds.map(|kind| row(id, kind, "a"))).await.unwrap();
    let start = db.due(&["a"]).await.remove(0);
    let source = start.alert_source.unwrap();
    assert_eq!((source.name.as_str(), source.source_id.as_deref()), ("pager", Some("Q1")));
    assert_eq!((start.alert, start.started_ref), (fields, None));
    let sent = NotificationOutcome::Sent { external_ref: Some("17.2".to_owned()) };
    assert!(db.store.finish_notification(start.id, 1, sent).await.unwrap());
    db.store.finish_session(fence, end(SessionStatus::Completed)).await.unwrap();
    let ended = db.due(&["a"]).await.remove(0);
    assert_eq!((ended.kind, ended.started_ref.as_deref()), (NotificationKind::Ended, Some("17.2")));
}

#[tokio::test]
async fn an_end_does_not_wait_for_a_start_that_rests_after_a_failure() {
    let db = db().await;
    let id = db.create(alert()).await;
    let fence = db.claim().await.unwrap().fence;
    db.store.insert_notifications(&[row(id, NotificationKind::Started, "a")]).await.unwrap();
    let start = db.due(&["a"]).await.remove(0);
    assert_eq!(
        db.store.begin_notification_send(start.id, 1, None).await.unwrap(),
        SendAttempt::Allowed
    );
    let rests = |pause| NotificationOutcome::Retry {
        error: "answered 500".to_owned(),
        pause,
        counts: true,
    };
    db.store.finish_session(fence, end(SessionStatus::Completed)).await.unwrap();
    db.store.insert_notifications(&[row(id, NotificationKind::Ended, "a")]).await.unwrap();
    assert_eq!(db.due(&["a"]).await, [], "the start is on its way");
    let long = Duration::from_hours(1);
    assert!(db.store.finish_notification(start.id, 1, rests(long)).await.unwrap());
    let due = db.due(&["a"]).await;
    assert_eq!(due.iter().map(|one| one.kind).collect::<Vec<_>>(), [NotificationKind::Ended]);
}

#[tokio::test]
async fn a_failure_waits_for_its_pause_and_what_is_given_up_is_a_dead_letter() {
    let db = db().await;
    let id = db.finished(alert()).await;
    db.store.insert_notifications(&[row(id, NotificationKind::Ended, "a")]).await.unwrap();
    let note = db.due(&["a"]).await.remove(0);
    let later = |counts| NotificationOutcome::Retry {
        error: "answered 500\0".to_owned(),
        pause: Duration::ZERO,
        counts,
    };
    assert!(db.store.finish_notification(note.id, 1, later(true)).await.unwrap());
    assert_eq!(db.due(&["a"]).await[0].failures, 1);
    assert!(db.store.finish_notification(note.id, 2, later(false)).await.unwrap());
    assert_eq!(db.due(&["a"]).await[0].failures, 1);
    let given_up = NotificationOutcome::Exhausted { error: "no_text".to_owned() };
    assert!(db.store.finish_notification(note.id, 3, given_up.clone()).await.unwrap());
    assert!(!db.store.finish_notification(note.id, 3, given_up).await.unwrap());
    let letters = db.store.list_dead_letters(10).await.unwrap();
    assert_eq!(letters.len(), 1);
    assert_eq!((letters[0].subject.as_str(), letters[0].deliveries), ("notification.a", 2));
    let payload: Value = serde_json::from_slice(&letters[0].payload).unwrap();
    assert_eq!(payload["session_id"], id.to_string());
    assert_eq!(db.due(&["a"]).await, []);
    assert!(db.store.retry_notification(letters[0].id).await.unwrap());
    assert!(!db.store.retry_notification(letters[0].id).await.unwrap());
    assert_eq!(db.store.list_dead_letters(10).await.unwrap(), []);
    let again = db.due(&["a"]).await.remove(0);
    assert_eq!((again.id, again.claim, again.failures), (note.id, 4, 0));
}

fn sent(approval: UnnotifiedApproval) -> NewApprovalNotification {
    NewApprovalNotification { approval, send: true }
}

#[tokio::test]
async fn a_call_that_waits_is_notified_once_and_its_end_only_where_the_request_was_sent() {
    let db = db().await;
    let (work, _, id) = requested(&db, Duration::from_mins(1)).await;
    let both = names(&["a", "b"]);
    let missing = async || db.store.list_unnotified_approvals(&both, 10).await.unwrap();
    let found = missing().await;
    let kinds: Vec<_> = found.iter().map(|one| (one.kind, one.destination.as_str())).collect();
    assert_eq!(
        kinds,
        [(NotificationKind::ApprovalRequested, "a"), (NotificationKind::ApprovalRequested, "b")]
    );
    assert!(
        found.iter().all(|one| (one.approval_id, one.session_id) == (id, work.fence.session_id))
    );
    let rows: Vec<_> = found.into_iter().map(sent).collect();
    assert_eq!(db.store.insert_approval_notifications(&rows).await.unwrap(), 2);
    assert_eq!(db.store.insert_approval_notifications(&rows).await.unwrap(), 0);
    assert_eq!(missing().await, []);

    let [first] = &db.due(&["a"]).await[..] else { panic!("one is due") };
    let call = first.approval.as_ref().unwrap();
    assert_eq!((call.id, call.tool_name.as_str(), call.decision), (id, "pods_delete", None));
    assert!(call.agent.is_some() && !call.is_expired && call.request_ref.is_none(), "{call:?}");
    let begun = db.store.begin_notification_send(first.id, first.claim, None).await.unwrap();
    assert_eq!(begun, SendAttempt::Allowed);
    let outcome = NotificationOutcome::Sent { external_ref: Some("17.1".to_owned()) };
    assert!(db.store.finish_notification(first.id, first.claim, outcome).await.unwrap());

    let (session, approved) = (work.fence.session_id, ApprovalDecision::Approved);
    let anna = Decider { name: "anna", with: Identification::SignIn };
    db.store.decide_approval(session, id, approved, anna).await.unwrap();
    let [second] = &db.due(&["b"]).await[..] else { panic!("one is due") };
    let begun = db.store.begin_notification_send(second.id, second.claim, None).await.unwrap();
    assert_eq!(begun, SendAttempt::Obsolete, "nobody is asked about a call that was decided");
    let [closed] = &missing().await[..] else {
        panic!("the end is missing where the request was sent")
    };
    assert_eq!((closed.kind, closed.destination.as_str()), (NotificationKind::ApprovalClosed, "a"));
    let rows = [sent(closed.clone())];
    assert_eq!(db.store.insert_approval_notifications(&rows).await.unwrap(), 1);
    assert_eq!(missing().await, []);
    let [end] = &db.due(&["a"]).await[..] else { panic!("one is due") };
    let call = end.approval.as_ref().unwrap();
    assert_eq!(call.decision, Some(approved));
    assert_eq!(call.decided_by.as_deref(), Some("anna"));
    assert_eq!(call.request_ref.as_deref(), Some("17.1"));
}

#[tokio::test]
async fn a_review_changes_the_message_of_the_end_and_only_the_last_one_is_shown() {
    let db = db().await;
    let id = db.finished(alert()).await;
    let both = names(&["a", "b"]);
    let add = async |review| {
        let new = NewReview {
            session_id: id,
            review,
            actual_cause: None,
            object: None,
            category: None,
            reviewer: "rosa".to_owned(),
        };
        db.store.insert_review(new).await.unwrap();
    };
    let missing = async || db.store.list_unnotified_reviews(&both, 10).await.unwrap();
    add(Review::Accurate).await;
    assert_eq!(missing().await, [], "no message was sent yet");
    db.store.insert_notifications(&[row(id, NotificationKind::Ended, "a")]).await.unwrap();
    let [ended] = &db.due(&["a"]).await[..] else { panic!("one is due") };
    assert_eq!(ended.review.as_ref().map(|one| one.review), Some(Review::Accurate));
    let outcome = NotificationOutcome::Sent { external_ref: Some("17.1".to_owned()) };
    assert!(db.store.finish_notification(ended.id, ended.claim, outcome).await.unwrap());

    let first = missing().await;
    assert_eq!((first.len(), first[0].session_id, first[0].destination.as_str()), (1, id, "a"));
    assert_eq!(db.store.insert_review_notifications(&first).await.unwrap(), 1);
    assert_eq!(db.store.insert_review_notifications(&first).await.unwrap(), 0);
    add(Review::Wrong).await;
    let second = missing().await;
    assert_ne!(second[0].review_id, first[0].review_id);
    assert_eq!(db.store.insert_review_notifications(&second).await.unwrap(), 1);
    assert_eq!(missing().await, []);

    let [old] = &db.due(&["a"]).await[..] else { panic!("the second waits for the first") };
    let begun = db.store.begin_notification_send(old.id, old.claim, None).await.unwrap();
    assert_eq!(begun, SendAttempt::Obsolete);
    let done = NotificationOutcome::Skipped;
    assert!(db.store.finish_notification(old.id, old.claim, done).await.unwrap());
    let [new] = &db.due(&["a"]).await[..] else { panic!("one is due") };
    assert_eq!((new.kind, new.ended_ref.as_deref()), (NotificationKind::Reviewed, Some("17.1")));
    let review = new.review.as_ref().unwrap();
    assert_eq!((review.review, review.reviewer.as_str()), (Review::Wrong, "rosa"));
    let begun = db.store.begin_notification_send(new.id, new.claim, None).await.unwrap();
    assert_eq!(begun, SendAttempt::Allowed);
}

#[tokio::test]
async fn a_message_has_one_row_for_the_state_of_work_and_is_changed_one_change_after_the_other() {
    let db = db().await;
    let id = db.finished(alert()).await;
    let change = async |triage| {
        let change = TriageChange {
            session_id: id,
            entry_id: TriageEntryId::new(),
            author: "rosa".to_owned(),
            triage: Some(triage),
            assignee: None,
            note: None,
            takes_over: false,
        };
        db.store.change_triage(change).await.unwrap();
    };
    let names = names(&["a", "b"]);
    let missing = async || db.store.list_unnotified_triage(&names, 10).await.unwrap();
    let sent = async |note: &Notification, external_ref: Option<&str>| {
        let outcome = NotificationOutcome::Sent { external_ref: external_ref.map(str::to_owned) };
        assert!(db.store.finish_notification(note.id, note.claim, outcome).await.unwrap());
    };
    change(Triage::Taken).await;
    assert_eq!(missing().await, [], "no message was sent yet");
    db.store.insert_notifications(&[row(id, NotificationKind::Ended, "a")]).await.unwrap();
    let [ended] = &db.due(&["a"]).await[..] else { panic!("one is due") };
    assert_eq!(ended.triage.as_ref().map(|one| one.triage), Some(Triage::Taken));
    sent(ended, Some("17.1")).await;

    let first = missing().await;
    assert_eq!((first.len(), first[0].session_id, first[0].destination.as_str()), (1, id, "a"));
    assert_eq!(db.store.insert_triage_notifications(&first).await.unwrap(), 1);
    assert_eq!(db.store.insert_triage_notifications(&first).await.unwrap(), 0);
    let [taken] = &db.due(&["a"]).await[..] else { panic!("one is due") };
    assert_eq!((taken.kind, taken.ended_ref.as_deref()), (NotificationKind::Triaged, Some("17.1")));

    // While it is on its way, neither the next state nor a review overtakes it.
    change(Triage::Done).await;
    let new = NewReview {
        session_id: id,
        review: Review::Accurate,
        actual_cause: None,
        object: None,
        category: None,
        reviewer: "rosa".to_owned(),
    };
    db.store.insert_review(new).await.unwrap();
    let reviews = db.store.list_unnotified_reviews(&names, 10).await.unwrap();
    assert_eq!(db.store.insert_review_notifications(&reviews).await.unwrap(), 1);
    assert_eq!((missing().await, db.due(&["a"]).await), (Vec::new(), Vec::new()));
    sent(taken, None).await;
    let second = missing().await;
    assert_ne!(second[0].entry_id, first[0].entry_id);
    assert_eq!(db.store.insert_triage_notifications(&second).await.unwrap(), 1);
    let [done] = &db.due(&["a"]).await[..] else { panic!("one after the other") };
    assert_eq!((done.id, done.kind), (taken.id, NotificationKind::Triaged));
    let triage = done.triage.as_ref().unwrap();
    assert_eq!((triage.triage, triage.assignee.as_deref()), (Triage::Done, Some("rosa")));
    sent(done, None).await;
    let [reviewed] = &db.due(&["a"]).await[..] else { panic!("one is due") };
    assert_eq!(reviewed.kind, NotificationKind::Reviewed);
    assert_eq!(missing().await, []);
}

#[tokio::test]
async fn a_finding_that_rules_left_out_is_shared_once() {
    let db = db().await;
    let share = async |id| db.store.share_finding(id, "a").await.unwrap();
    assert_eq!(share(SessionId::new()).await, ShareOutcome::NotFound);
    let running = db.create(alert()).await;
    assert_eq!(share(running).await, ShareOutcome::Running);
    let fence = db.claim().await.unwrap().fence;
    db.store.finish_session(fence, end(SessionStatus::Completed)).await.unwrap();
    let left_out = NewNotification { send: false, ..row(running, NotificationKind::Ended, "a") };
    db.store.insert_notifications(&[left_out]).await.unwrap();
    assert_eq!(db.due(&["a"]).await, []);

    assert_eq!(share(running).await, ShareOutcome::Queued);
    assert_eq!(share(running).await, ShareOutcome::Pending);
    let due = db.due(&["a"]).await;
    let [claimed] = &due[..] else { panic!("{due:?}") };
    let exhausted = NotificationOutcome::Exhausted { error: "no".to_owned() };
    db.store.finish_notification(claimed.id, claimed.claim, exhausted).await.unwrap();
    assert_eq!(share(running).await, ShareOutcome::Queued, "given up, and tried anew");
    let due = db.due(&["a"]).await;
    let [claimed] = &due[..] else { panic!("{due:?}") };
    assert_eq!((claimed.kind, claimed.failures), (NotificationKind::Ended, 0));
    let sent = NotificationOutcome::Sent { external_ref: Some("1.2".to_owned()) };
    db.store.finish_notification(claimed.id, claimed.claim, sent).await.unwrap();
    assert!(matches!(share(running).await, ShareOutcome::Sent(_)));
    assert_eq!(db.due(&["a"]).await, []);

    sqlx::query("update alert_sessions set origin = 'recording' where id = $1")
        .bind(running.uuid())
        .execute(&db.raw)
        .await
        .unwrap();
    assert_eq!(share(running).await, ShareOutcome::Recorded);

    let later = db.finished(alert()).await;
    assert_eq!(share(later).await, ShareOutcome::Queued, "no rule has seen it yet");
    let late = [row(later, NotificationKind::Ended, "a")];
    assert_eq!(db.store.insert_notifications(&late).await.unwrap(), 0);
}

/// A run of a schedule that ended with a verdict, so many days ago.
async fn run_of_schedule(
    db: &Db,
    notify: &str,
    days: i32,
    verdict: (&str, Option<&str>),
) -> SessionId {
    let id = db.finished(alert()).await;
    sqlx::query(
        "with v as (
            insert into verdicts (id, session_id, source, outcome, cause, category, object_kind, object_name, confidence)
            select gen_random_uuid(), $1, 'rules', $4, 'a disk is ' || $3 || ' % full', 'disk', 'volume',
                coalesce($5, 'day ' || $3), 'high' returning id
         ), s as (update alert_sessions set verdict_id = (select id from v), verdict_failure = null where id = $1)
         insert into schedule_runs (schedule, due_at, outcome, session_id, notify)
         values ($2, now() - make_interval(days => $3), 'started', $1, $2)",
    )
    .bind(id.uuid())
    .bind(notify)
    .bind(days)
    .bind(verdict.0)
    .bind(verdict.1)
    .execute(&db.raw)
    .await
    .unwrap();
    id
}

#[tokio::test]
async fn results_of_a_schedule_are_wanted_when_they_differ_from_the_run_before() {
    let db = db().await;
    db.store.register_destinations(&names(&["a"])).await.unwrap();
    let fine = ("no_fault_found", None);
    let full = |disk| ("cause_found", Some(disk));
    let mut expected = Vec::new();
    for (notify, wanted) in [
        ("changed", [false, true, false, true, true]),
        ("problems", [false, true, true, true, false]),
        ("always", [true; 5]),
        ("never", [false; 5]),
    ] {
        let verdicts = [fine, full("/"), full("/"), full("/var"), fine];
        for (days, (verdict, wanted)) in (0..5).rev().zip(verdicts.into_iter().zip(wanted)) {
            expected.push((run_of_schedule(&db, notify, days, verdict).await, wanted));
        }
    }
    expected.push((db.finished(alert()).await, true));
    let found = db.store.list_unnotified(&names(&["a"]), None, 50).await.unwrap();
    let mut found: Vec<_> = found.iter().map(|one| (one.session_id, one.is_wanted)).collect();
    found.sort_unstable();
    expected.sort_unstable();
    assert_eq!(found, expected);
}
