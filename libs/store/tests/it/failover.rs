//! Several servers of one database, of which one takes writes.

use std::time::Duration;

use sqlx::{Connection as _, PgConnection};
use tarsy_domain::id::SessionId;
use tarsy_store::{PoolLimits, Store};
use tarsy_testkit::{Seen, TestLink, TestPg, a_session, eventually};

/// Shorter than those of the product, so that a server without an answer is noticed soon.
const LIMITS: PoolLimits = PoolLimits {
    max_connections: 2,
    acquire: Duration::from_secs(3),
    statement: Duration::from_secs(4),
};

async fn pair() -> (TestPg, TestPg) {
    let mut primary = TestPg::dedicated().await.unwrap();
    let replica = primary.replicate().await.unwrap();
    (primary, replica)
}

async fn find(store: &Store, session: SessionId) -> bool {
    matches!(store.find_session(session).await, Ok(Some(_)))
}

#[tokio::test]
async fn what_is_written_goes_to_the_server_that_takes_writes() {
    let (primary, replica) = pair().await;
    let store = Store::connect_with(&replica.url_with(&primary).unwrap(), LIMITS).await.unwrap();
    store.migrate().await.unwrap();
    let session = a_session().pending(&store).await.unwrap().0;
    assert!(find(&store, session).await);
    let alone = format!("{}?target_session_attrs=read-write", replica.url());
    let refused = Store::connect_with(&alone, LIMITS).await.unwrap_err();
    assert!(refused.is_unavailable(), "{refused:?}");
}

#[tokio::test]
async fn a_promoted_replica_takes_over_with_all_that_was_committed() {
    let (mut primary, replica) = pair().await;
    let store = Store::connect_with(&primary.url_with(&replica).unwrap(), LIMITS).await.unwrap();
    store.migrate().await.unwrap();
    let before = a_session().pending(&store).await.unwrap().0;
    primary.server().unwrap().kill().await;
    // A backend may serve one statement more until it notices that the server's first process is gone.
    eventually("the primary is gone", async || {
        Seen::value(store.find_session(before).await.map(|found| found.is_some()), |found| {
            found.as_ref().is_err_and(tarsy_store::Error::is_unavailable)
        })
    })
    .await;
    replica.promote().await.unwrap();
    eventually("the session is there", async || find(&store, before).await).await;
    let after = a_session().pending(&store).await.unwrap().0;
    assert!(find(&store, after).await);
}

#[tokio::test]
async fn a_primary_that_answers_nothing_is_left_for_the_promoted_replica() {
    let (primary, replica) = pair().await;
    let link = TestLink::to(primary.url()).await.unwrap();
    let url = replica.url_behind(&link.url(primary.url())).unwrap();
    let store = Store::connect_with(&url, LIMITS).await.unwrap();
    store.migrate().await.unwrap();
    let before = a_session().pending(&store).await.unwrap().0;
    link.lose();
    replica.promote().await.unwrap();
    eventually("the session is there", async || find(&store, before).await).await;
}

#[tokio::test]
async fn a_primary_that_was_demoted_is_left_at_its_first_refusal() {
    let (primary, replica) = pair().await;
    let store = Store::connect_with(&primary.url_with(&replica).unwrap(), LIMITS).await.unwrap();
    store.migrate().await.unwrap();
    a_session().pending(&store).await.unwrap();
    replica.promote().await.unwrap();
    primary.execute("alter system set default_transaction_read_only = on").await.unwrap();
    primary.execute("select pg_reload_conf()").await.unwrap();
    eventually("a session is written", async || a_session().pending(&store).await.is_ok()).await;
    assert_eq!((sessions(&primary).await, sessions(&replica).await), (1, 2));
}

async fn sessions(pg: &TestPg) -> i64 {
    let mut connection = PgConnection::connect(pg.url()).await.unwrap();
    let count = sqlx::query_scalar("select count(*) from alert_sessions");
    count.fetch_one(&mut connection).await.unwrap()
}
