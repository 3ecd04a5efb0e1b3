//! Changes of systems: recorded once, listed by what they are about, and given to investigations.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use tarsy_domain::change::ChangeKind;
use tarsy_domain::clock::{Clock as _, SystemClock};
use tarsy_domain::id::ChangeId;
use tarsy_store::{ChangeQuery, ChangesNear, NewChange, RetainedKind};

use crate::setup::{Db, db};

const DAY: Duration = Duration::from_hours(24);

fn minutes_ago(minutes: i64) -> Timestamp {
    SystemClock.now() - SignedDuration::from_mins(minutes)
}

fn change(id: &str, object: &str, minutes: i64) -> NewChange {
    NewChange {
        id: ChangeId::new(),
        source: "ci".to_owned(),
        source_id: id.to_owned(),
        kind: ChangeKind::Deployment,
        object: Some(object.to_owned()),
        service: None,
        namespace: Some("shop".to_owned()),
        cluster: None,
        host: None,
        environment: None,
        author: Some("ann\0".to_owned()),
        link: None,
        text: format!("{id} of {object}"),
        occurred_at: minutes_ago(minutes),
    }
}

async fn listed(db: &Db, query: ChangeQuery) -> Vec<String> {
    let query = ChangeQuery { limit: if query.limit == 0 { 100 } else { query.limit }, ..query };
    db.store.list_changes(query).await.unwrap().into_iter().map(|change| change.text).collect()
}

#[tokio::test]
async fn a_change_is_recorded_once_and_found_by_what_it_is_about() {
    let db = db().await;
    let cart = NewChange {
        service: Some("Cart".to_owned()),
        environment: Some("production".to_owned()),
        kind: ChangeKind::FeatureFlag,
        ..change("b", "flag/new", 20)
    };
    let first = vec![change("a", "Deployment/checkout", 30), cart, change("c", "node-1", 10)];
    assert_eq!(db.store.insert_changes(first.clone()).await.unwrap().len(), 3);
    let again: Vec<NewChange> =
        first.into_iter().map(|change| NewChange { id: ChangeId::new(), ..change }).collect();
    assert_eq!(db.store.insert_changes(again).await.unwrap(), []);
    let both = vec![change("d", "x", 1), change("d", "x", 1)];
    assert_eq!(db.store.insert_changes(both).await.unwrap().len(), 1);
    assert_eq!(
        listed(&db, ChangeQuery::default()).await,
        ["d of x", "c of node-1", "b of flag/new", "a of Deployment/checkout"]
    );
    let near = |name: &str| ChangeQuery { near: Some(name.to_owned()), ..ChangeQuery::default() };
    for name in ["checkout", "Deployment/Checkout", "CHECKOUT"] {
        assert_eq!(listed(&db, near(name)).await, ["a of Deployment/checkout"], "{name}");
    }
    assert_eq!(listed(&db, near("cart")).await, ["b of flag/new"]);
    let flags = ChangeQuery {
        kind: Some(ChangeKind::FeatureFlag),
        environment: Some("Production".to_owned()),
        ..ChangeQuery::default()
    };
    assert_eq!(listed(&db, flags).await, ["b of flag/new"]);
    let between = ChangeQuery {
        since: Some(minutes_ago(25)),
        until: Some(minutes_ago(5)),
        ..ChangeQuery::default()
    };
    assert_eq!(listed(&db, between).await, ["c of node-1", "b of flag/new"]);
}

#[tokio::test]
async fn a_list_goes_on_behind_its_last_change_also_among_those_of_one_moment() {
    let db = db().await;
    let at = minutes_ago(5);
    let many = (0..7).map(|n| NewChange { occurred_at: at, ..change(&n.to_string(), "x", 5) });
    db.store.insert_changes(many.collect()).await.unwrap();
    let (mut seen, mut before) = (Vec::new(), None);
    loop {
        let part =
            db.store.list_changes(ChangeQuery { before, limit: 3, ..ChangeQuery::default() });
        let part = part.await.unwrap();
        before = part.last().map(|change| change.id);
        seen.extend(part.into_iter().map(|change| change.id));
        if before.is_none() {
            break;
        }
    }
    let mut distinct = seen.clone();
    distinct.sort();
    distinct.dedup();
    assert_eq!((seen.len(), distinct.len()), (7, 7));
}

#[tokio::test]
async fn an_investigation_is_given_what_it_names_first_and_learns_whether_any_are_recorded() {
    let db = db().await;
    let near = |names: &[&str], limit| ChangesNear {
        since: minutes_ago(120),
        until: minutes_ago(0),
        names: names.iter().map(|&name| name.to_owned()).collect(),
        limit,
    };
    let given = db.store.find_given_changes(near(&[], 10)).await.unwrap();
    assert!(!given.are_recorded && given.near.is_empty());
    db.store.insert_changes(vec![change("old", "Deployment/mail", 300)]).await.unwrap();
    let given = db.store.find_given_changes(near(&[], 10)).await.unwrap();
    assert!(given.are_recorded && given.near.is_empty());
    let more = vec![
        change("a", "Deployment/checkout", 90),
        change("b", "cart", 60),
        change("c", "mail", 30),
    ];
    db.store.insert_changes(more).await.unwrap();
    let given = db.store.find_given_changes(near(&["checkout"], 2)).await.unwrap();
    let texts: Vec<&str> = given.near.iter().map(|change| change.text.as_str()).collect();
    assert_eq!(texts, ["a of Deployment/checkout", "c of mail"]);
}

#[tokio::test]
async fn changes_are_deleted_by_their_age() {
    let db = db().await;
    let (old, new) = (change("old", "x", 60 * 24 * 3), change("new", "x", 60));
    db.store.insert_changes(vec![old, new]).await.unwrap();
    assert_eq!(db.store.purge(RetainedKind::Changes, DAY).await.unwrap(), 1);
    assert_eq!(db.store.purge(RetainedKind::Changes, DAY).await.unwrap(), 0);
    assert_eq!(listed(&db, ChangeQuery::default()).await, ["new of x"]);
}
