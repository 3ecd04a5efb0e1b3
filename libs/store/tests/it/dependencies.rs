//! What depends on what: kept by source, followed in both directions, and deleted when nobody reports it again.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use tarsy_contracts::dependency::{Dependency, GivenDependencies};
use tarsy_domain::clock::{Clock as _, SystemClock};
use tarsy_domain::dependency::Relation;
use tarsy_store::{Batch, DependencyQuery, NewDependency, Op, RetainedKind, Unreported};

use crate::setup::{Db, db};

const DAY: Duration = Duration::from_hours(24);

fn calls(from: &str, to: &str) -> NewDependency {
    NewDependency {
        from: from.to_owned(),
        relation: Relation::Calls,
        to: to.to_owned(),
        namespace: None,
        to_namespace: None,
        cluster: None,
        environment: None,
        team: Some("shop\0".to_owned()),
    }
}

fn around(names: &[&str], depth: usize) -> DependencyQuery {
    let names = names.iter().map(|name| (*name).to_owned()).collect();
    DependencyQuery { names, depth, limit: 50, ..DependencyQuery::default() }
}

fn ends(found: &[Dependency]) -> Vec<String> {
    found.iter().map(|one| format!("{} {}", one.from, one.to)).collect()
}

async fn keep(db: &Db, source: &str, new: Vec<NewDependency>, at: Option<Timestamp>) {
    let rest = if at.is_some() { Unreported::Keep } else { Unreported::Delete };
    db.store.record_dependencies(source, new, rest, at).await.unwrap();
}

#[tokio::test]
async fn dependencies_are_followed_in_both_directions_up_to_a_depth() {
    let db = db().await;
    assert!(!db.store.has_dependencies().await.unwrap());
    let mut route = calls("Service/checkout", "Deployment/checkout");
    route.relation = Relation::RoutesTo;
    let edges = vec![
        calls("web", "Checkout"),
        route,
        calls("checkout", "payments"),
        calls("payments", "ledger"),
        calls("ledger", "checkout"),
        calls("mail", "relay"),
    ];
    keep(&db, "file", edges, None).await;
    assert!(db.store.has_dependencies().await.unwrap());
    let near = db.store.find_dependencies(&around(&["Deployment/checkout"], 1)).await.unwrap();
    assert_eq!(
        ends(&near.depends_on),
        ["Service/checkout Deployment/checkout", "checkout payments"]
    );
    let up = ["Service/checkout Deployment/checkout", "ledger checkout", "web Checkout"];
    assert_eq!(ends(&near.used_by), up);
    assert_eq!(near.depends_on[1].team.as_deref(), Some("shop\u{fffd}"));
    // A circle ends.
    let far = db.store.find_dependencies(&around(&["checkout"], 3)).await.unwrap();
    assert_eq!(
        ends(&far.depends_on)[1..],
        ["checkout payments", "payments ledger", "ledger checkout"]
    );
    let one = DependencyQuery { limit: 1, ..around(&["checkout"], 3) };
    assert_eq!(db.store.find_dependencies(&one).await.unwrap().depends_on.len(), 1);
}

#[tokio::test]
async fn what_is_in_another_namespace_or_environment_is_another_object() {
    let db = db().await;
    let placed =
        |from: &str, to: &str, namespace: &str, to_namespace: Option<&str>| NewDependency {
            namespace: Some(namespace.to_owned()),
            to_namespace: to_namespace.map(str::to_owned),
            ..calls(from, to)
        };
    let staging = NewDependency { environment: Some("Staging".to_owned()), ..calls("web", "stub") };
    let edges = vec![
        placed("web", "redis", "shop", None),
        placed("web", "vault", "shop", Some("security")),
        placed("web", "postgres", "blog", None),
        placed("redis", "disk", "blog", None),
        placed("vault", "keys", "security", None),
        staging,
    ];
    keep(&db, "cluster", edges, None).await;
    let query = DependencyQuery {
        namespace: Some("Shop".to_owned()),
        environment: Some("production".to_owned()),
        ..around(&["web"], 2)
    };
    let found = db.store.find_dependencies(&query).await.unwrap();
    assert_eq!(ends(&found.depends_on), ["web redis", "web vault", "vault keys"]);
}

#[tokio::test]
async fn each_source_replaces_or_renews_its_own_and_what_is_old_is_deleted() {
    let db = db().await;
    let now = SystemClock.now();
    let days_ago = |days: i64| Some(now - SignedDuration::from_hours(24 * days));
    keep(&db, "file", vec![calls("a", "b"), calls("a", "c")], None).await;
    keep(&db, "traces", vec![calls("a", "d"), calls("a", "e")], days_ago(9)).await;
    keep(&db, "traces", vec![calls("a", "d"), calls("a", "d")], days_ago(0)).await;
    keep(&db, "file", vec![calls("a", "b")], None).await;
    let found =
        async || ends(&db.store.find_dependencies(&around(&["a"], 1)).await.unwrap().depends_on);
    assert_eq!(found().await, ["a b", "a d", "a e"]);
    let purged = db.store.purge(RetainedKind::Dependencies, DAY * 7).await;
    assert_eq!(purged.unwrap(), 1);
    assert_eq!(found().await, ["a b", "a d"], "the configuration does not grow old");
}

#[tokio::test]
async fn a_session_keeps_what_it_was_given() {
    let db = db().await;
    db.create(crate::setup::alert()).await;
    let work = db.begin(db.claim().await.unwrap().fence).await;
    let session = work.fence.session_id;
    let given = GivenDependencies {
        are_known: true,
        near: vec![Dependency {
            source: "file".to_owned(),
            from: "a".to_owned(),
            relation: Relation::Uses,
            to: "ConfigMap/a".to_owned(),
            namespace: None,
            to_namespace: None,
            cluster: None,
            environment: None,
            team: None,
            last_seen_at: None,
        }],
    };
    let batch = Batch::new().with(Op::SetDependencies(given.clone()));
    db.store.commit(work.fence, batch).await.unwrap();
    let stored = db.store.find_session(session).await.unwrap().unwrap();
    assert_eq!(stored.dependencies, Some(given.clone()));
    let detail = db.store.find_session_detail(session).await.unwrap().unwrap();
    assert_eq!(detail.dependencies, given.near);
}
