//! The state of work on sessions: two people at once, requests that are sent again, and what is written beside it.

use serde_json::Value;
use tarsy_contracts::triage::SessionTriage;
use tarsy_domain::id::{SessionId, TriageEntryId};
use tarsy_domain::triage::Triage;
use tarsy_store::{MAX_TRIAGE_ENTRIES, SessionQuery, TriageChange, TriageOutcome};

use crate::setup::{Db, alert, db};

fn by(author: &str, session_id: SessionId, triage: Triage) -> TriageChange {
    TriageChange {
        session_id,
        entry_id: TriageEntryId::new(),
        author: author.to_owned(),
        triage: Some(triage),
        assignee: None,
        note: None,
        takes_over: false,
    }
}

async fn changed(db: &Db, change: TriageChange) -> SessionTriage {
    match db.store.change_triage(change).await.unwrap() {
        TriageOutcome::Changed { triage, events } => {
            assert_eq!(events.len(), 1);
            triage
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn of_two_people_who_take_a_session_at_once_one_has_it_and_the_other_learns_who() {
    let db = db().await;
    for _ in 0..10 {
        let id = db.create(alert()).await;
        let (ann, bob) = tokio::join!(
            db.store.change_triage(by("ann", id, Triage::Taken)),
            db.store.change_triage(by("bob", id, Triage::Taken)),
        );
        let (first, second) = match (ann.unwrap(), bob.unwrap()) {
            (TriageOutcome::Changed { triage, .. }, late)
            | (late, TriageOutcome::Changed { triage, .. }) => (triage, late),
            other => panic!("{other:?}"),
        };
        let TriageOutcome::Held { by, triage: Triage::Taken } = second else {
            panic!("{second:?}")
        };
        assert_eq!(first.assignee, Some(by));
        assert_eq!(first.entries.len(), 1);
        assert_eq!(db.store.find_triage(id).await.unwrap(), Some(first));
    }
}

#[tokio::test]
async fn a_session_is_taken_assigned_done_and_opened_again_with_its_entries() {
    let db = db().await;
    let id = db.create(alert()).await;
    changed(&db, by("ann", id, Triage::Taken)).await;
    changed(&db, TriageChange { assignee: Some("bob".to_owned()), ..by("ann", id, Triage::Taken) })
        .await;
    let note = Some("the disk was grown\0".to_owned());
    changed(&db, TriageChange { note, ..by("bob", id, Triage::Done) }).await;
    let TriageOutcome::Held { by: holder, triage: Triage::Done } =
        db.store.change_triage(by("ann", id, Triage::New)).await.unwrap()
    else {
        panic!("ann opened what bob has done")
    };
    assert_eq!(holder, "bob");
    let open = changed(&db, TriageChange { takes_over: true, ..by("ann", id, Triage::New) }).await;
    assert_eq!((open.triage, &open.assignee), (Triage::New, &None));
    let entries: Vec<_> = open
        .entries
        .iter()
        .map(|entry| (entry.triage, entry.assignee.as_deref(), entry.author.as_deref()))
        .collect();
    let expected = [
        (Some(Triage::New), None, Some("ann")),
        (Some(Triage::Done), Some("bob"), Some("bob")),
        (Some(Triage::Taken), Some("bob"), Some("ann")),
        (Some(Triage::Taken), Some("ann"), Some("ann")),
    ];
    assert_eq!(entries, expected);
    assert_eq!(open.entries[1].note.as_deref(), Some("the disk was grown\u{fffd}"));
}

#[tokio::test]
async fn a_request_that_is_sent_again_changes_nothing() {
    let db = db().await;
    let id = db.create(alert()).await;
    let take = TriageChange { note: Some("mine".to_owned()), ..by("ann", id, Triage::Taken) };
    changed(&db, take.clone()).await;
    let over = TriageChange { takes_over: true, ..by("bob", id, Triage::Taken) };
    let bobs = changed(&db, over).await;
    let again = db.store.change_triage(take.clone()).await.unwrap();
    assert_eq!(again, TriageOutcome::Unchanged(bobs.clone()));
    // Without an id of its own, what is so already is no entry either.
    let same = db.store.change_triage(by("bob", id, Triage::Taken)).await.unwrap();
    assert_eq!(same, TriageOutcome::Unchanged(bobs));
    for other in [
        TriageChange { author: "eve".to_owned(), ..take.clone() },
        TriageChange { note: None, ..take.clone() },
        TriageChange { triage: Some(Triage::Done), ..take.clone() },
        TriageChange { triage: None, ..take.clone() },
        TriageChange { assignee: Some("eve".to_owned()), ..take.clone() },
        TriageChange { session_id: db.create(alert()).await, ..take },
    ] {
        assert_eq!(db.store.change_triage(other).await.unwrap(), TriageOutcome::OtherEntry);
    }
}

#[tokio::test]
async fn a_note_leaves_the_state_and_anybody_may_write_one() {
    let db = db().await;
    let id = db.create(alert()).await;
    changed(&db, by("ann", id, Triage::Taken)).await;
    let note = TriageChange {
        triage: None,
        note: Some("seen before".to_owned()),
        ..by("bob", id, Triage::New)
    };
    let noted = changed(&db, note).await;
    assert_eq!((noted.triage, noted.assignee.as_deref()), (Triage::Taken, Some("ann")));
    assert_eq!(
        (noted.entries[0].triage, noted.entries[0].note.as_deref()),
        (None, Some("seen before"))
    );
    assert_eq!(db.store.find_triage(SessionId::new()).await.unwrap(), None);
    let unknown = db.store.change_triage(by("ann", SessionId::new(), Triage::Done)).await.unwrap();
    assert_eq!(unknown, TriageOutcome::NotFound);
}

#[tokio::test]
async fn each_change_is_a_numbered_event_and_the_list_shows_it() {
    let db = db().await;
    let id = db.create(alert()).await;
    let last = db.store.find_last_event_seq(id).await.unwrap().unwrap();
    let TriageOutcome::Changed { triage, events } =
        db.store.change_triage(by("ann", id, Triage::Taken)).await.unwrap()
    else {
        panic!("it is not taken")
    };
    assert_eq!(db.store.list_events(id, last, 10).await.unwrap().len(), 1);
    assert_eq!((events[0].seq, events[0].kind.as_str()), (last + 1, "session.triage"));
    let payload: Value = serde_json::from_str(&events[0].payload).unwrap();
    assert_eq!((&payload["triage"], &payload["assignee"]), (&"taken".into(), &"ann".into()));
    assert_eq!(payload["entry_id"], serde_json::to_value(triage.entries[0].id).unwrap());
    let mine = SessionQuery { assignee: Some("ann".to_owned()), ..SessionQuery::default() };
    let page = db.store.list_sessions(mine).await.unwrap();
    let shown: Vec<_> =
        page.items.iter().map(|item| (item.id, item.triage, item.assignee.as_deref())).collect();
    assert_eq!(shown, [(id, Triage::Taken, Some("ann"))]);
    assert_eq!(db.store.list_filter_options().await.unwrap().assignees, ["ann"]);
}

#[tokio::test]
async fn a_script_does_not_fill_the_table() {
    let db = db().await;
    let id = db.create(alert()).await;
    let entries = format!(
        "insert into triage_entries (id, session_id, number, note, author)
         select gen_random_uuid(), '{id}', n, 'x', 'script' from generate_series(1, {MAX_TRIAGE_ENTRIES}) n"
    );
    sqlx::raw_sql(sqlx::AssertSqlSafe(entries)).execute(&db.raw).await.unwrap();
    let more = db.store.change_triage(by("ann", id, Triage::Taken)).await.unwrap();
    assert_eq!(more, TriageOutcome::TooMany);
    assert_eq!(db.store.find_triage(id).await.unwrap().unwrap().triage, Triage::New);
}
