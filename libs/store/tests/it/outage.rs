//! What callers see when the database is away.

use tarsy_domain::code::{Code, Coded};
use tarsy_domain::id::SessionId;
use tarsy_store::Store;
use tarsy_testkit::TestPg;

#[tokio::test]
async fn a_database_that_is_away_is_unavailable_and_serves_again_when_it_is_back() {
    let mut pg = TestPg::dedicated_migrated().await.unwrap();
    let store = Store::connect(pg.url(), 2).await.unwrap();
    pg.server().unwrap().stop().await;
    let error = store.find_session(SessionId::new()).await.unwrap_err();
    assert!(error.is_unavailable(), "{error:?}");
    assert_eq!(error.code(), Code::Unavailable);
    assert_eq!(error.to_string(), "the database cannot be reached");
    pg.server().unwrap().launch().await.unwrap();
    assert!(store.find_session(SessionId::new()).await.unwrap().is_none());
}

#[tokio::test]
async fn nobody_there_is_unavailable() {
    // Where no test ever listens.
    let url = "postgres://nobody@127.0.0.1:1/nothing";
    assert!(Store::connect(url, 1).await.unwrap_err().is_unavailable());
}

#[tokio::test]
async fn a_closed_store_is_unavailable() {
    let pg = TestPg::start().await.unwrap();
    let store = Store::connect(pg.url(), 1).await.unwrap();
    store.close();
    assert!(store.ping().await.unwrap_err().is_unavailable());
}
