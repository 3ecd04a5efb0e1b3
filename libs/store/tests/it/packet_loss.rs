//! What happens when packets to PostgreSQL are lost without an end or a reset.

use std::time::Duration;

use futures::future::join_all;
use tarsy_domain::id::SessionId;
use tarsy_store::{PoolLimits, Store};
use tarsy_testkit::{TestLink, TestPg};
use tokio::time::timeout;

use crate::setup::alert;

/// Short deadlines, so that the tests wait little.
const LIMITS: PoolLimits = PoolLimits {
    max_connections: 2,
    acquire: Duration::from_secs(2),
    statement: Duration::from_secs(1),
};
/// Longer than any call may take under [`LIMITS`], on a busy machine.
const BOUND: Duration = Duration::from_secs(30);

struct Lossy {
    store: Store,
    link: TestLink,
    _pg: TestPg,
}

async fn lossy(limits: PoolLimits) -> Lossy {
    let pg = TestPg::migrated().await.unwrap();
    let link = TestLink::to(pg.url()).await.unwrap();
    let store = Store::connect_with(&link.url(pg.url()), limits).await.unwrap();
    Lossy { store, link, _pg: pg }
}

#[tokio::test]
async fn every_call_ends_while_packets_are_lost_and_the_next_works_when_they_pass() {
    let Lossy { store, link, _pg } = lossy(LIMITS).await;
    store.insert_session(alert()).await.unwrap();
    for round in 0..3 {
        join_all((0..2).map(|_| store.ping())).await;
        link.lose();
        // More calls than connections: none may keep a connection for ever.
        let calls = (0..4).map(|_| store.find_session(SessionId::new()));
        let reads = timeout(BOUND, join_all(calls)).await.expect("a read has a deadline");
        for read in reads {
            assert!(read.unwrap_err().is_unavailable());
        }
        let write = timeout(BOUND, store.insert_session(alert()));
        assert!(write.await.expect("a write has a deadline").unwrap_err().is_unavailable());
        let claim = timeout(BOUND, store.claim_session("owner", BOUND, 5));
        assert!(claim.await.expect("a transaction has a deadline").unwrap_err().is_unavailable());
        link.restore();
        let read = timeout(BOUND, store.find_session(SessionId::new())).await.unwrap();
        assert!(read.unwrap().is_none(), "round {round}");
    }
}

#[tokio::test]
async fn a_connection_lost_while_idle_is_replaced() {
    let Lossy { store, link, _pg } = lossy(LIMITS).await;
    join_all((0..2).map(|_| store.ping())).await;
    link.lose();
    link.restore();
    // The two open connections hang now; each costs at most one call.
    for _ in 0..2 {
        let _missed = timeout(BOUND, store.ping()).await.expect("a ping has a deadline");
    }
    timeout(BOUND, store.ping()).await.unwrap().unwrap();
}

#[tokio::test]
async fn aborted_reads_leave_no_connection_inside_a_transaction() {
    let Lossy { store, link, _pg } =
        lossy(PoolLimits { acquire: Duration::from_secs(30), ..PoolLimits::new(10) }).await;
    let session = store.insert_session(alert()).await.unwrap();
    let tarsy_store::Created::New { session_id: id, .. } = session else {
        panic!("not new: {session:?}");
    };
    link.delay(Duration::from_micros(300));
    let abort_and_read = async |worker: u64| {
        for round in 0..30 {
            // Aborted at another point of the read each time.
            let limit = Duration::from_micros((round * 10 + worker) * 20);
            let _aborted = timeout(limit, store.find_session_detail(id)).await;
            store.find_session_detail(id).await.unwrap().unwrap();
        }
    };
    join_all((0..10).map(abort_and_read)).await;
}
