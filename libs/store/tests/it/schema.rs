//! Migrations and the check that they were applied.

use std::collections::BTreeSet;

use tarsy_domain::code::{Code, Coded};
use tarsy_domain::id::SessionId;
use tarsy_domain::status::SessionStatus;
use tarsy_store::{Batch, Error, Fence, SessionQuery, Store};
use tarsy_testkit::{TestPg, workspace};

use crate::setup::{Db, LEASE, alert, db, end};

#[tokio::test]
async fn migrations_apply_from_empty_and_a_second_time_change_nothing() {
    let pg = TestPg::start().await.unwrap();
    let store = Store::connect(pg.url(), 2).await.unwrap();
    match store.schema_check().await.unwrap_err() {
        Error::Schema { found, expected } => assert!(found == 0 && expected > 0),
        other => panic!("{other}"),
    }
    store.migrate().await.unwrap();
    store.migrate().await.unwrap();
    store.schema_check().await.unwrap();
    store.ping().await.unwrap();
}

#[test]
fn each_index_function_and_view_is_defined_once_and_names_what_reads_it() {
    const DEFINED: [&str; 4] =
        ["create index ", "create unique index ", "create function ", "create view "];
    const REPLACED: &str = "create or replace function ";
    let mut files: Vec<_> = std::fs::read_dir(workspace().join("migrations"))
        .unwrap()
        .map(|file| file.unwrap().path())
        .collect();
    files.sort();
    let mut names = BTreeSet::new();
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let (mut before, mut at) = ("", 0);
        for line in text.lines() {
            let rest = text.get(at..).unwrap();
            at += line.len() + 1;
            let defined = DEFINED.iter().find_map(|beginning| rest.strip_prefix(beginning));
            if defined.is_some() || rest.starts_with(REPLACED) {
                assert!(before.starts_with("--"), "{}: {line}", file.display());
            }
            if let Some(definition) = defined {
                let is_first = names.insert(signature(definition));
                assert!(is_first, "{}: {line} is defined elsewhere", file.display());
            }
            // Released migrations are never edited: a later one replaces a function whose parameters stay.
            if let Some(definition) = rest.strip_prefix(REPLACED) {
                let is_known = names.contains(&signature(definition));
                assert!(is_known, "{}: {line} replaces nothing", file.display());
            }
            before = line;
        }
    }
    assert!(names.len() > 100, "{}", names.len());
}

/// The name of an index or a view; of a function, with its parameters, by which PostgreSQL overloads.
fn signature(definition: &str) -> String {
    let end = definition.find(|sign: char| !sign.is_alphanumeric() && sign != '_').unwrap();
    let (name, rest) = definition.split_at(end);
    let parameters = rest.strip_prefix('(').and_then(|rest| rest.split_once("returns"));
    let words = parameters.map_or("", |(parameters, _)| parameters).split_whitespace();
    std::iter::once(name).chain(words).collect::<Vec<_>>().join(" ")
}

#[tokio::test]
async fn two_programs_that_migrate_at_once_take_turns() {
    let pg = TestPg::start().await.unwrap();
    let (one, two) =
        (Store::connect(pg.url(), 2).await.unwrap(), Store::connect(pg.url(), 2).await.unwrap());
    let (first, second) = tokio::join!(one.migrate(), two.migrate());
    first.unwrap();
    second.unwrap();
    one.schema_check().await.unwrap();
}

#[tokio::test]
async fn a_database_of_another_encoding_is_refused_before_anything_is_created() {
    let pg = TestPg::dedicated().await.unwrap();
    pg.execute("create database other template template0 encoding 'SQL_ASCII' locale 'C'")
        .await
        .unwrap();
    let (server, _) = pg.url().rsplit_once('/').unwrap();
    let store = Store::connect(&format!("{server}/other"), 2).await.unwrap();
    for refused in [store.migrate().await, store.schema_check().await] {
        let error = refused.unwrap_err();
        assert!(matches!(&error, Error::Encoding { found } if found == "SQL_ASCII"), "{error}");
        assert!(error.to_string().contains("encoding 'UTF8'"), "{error}");
    }
    let state = store.find_database_state().await.unwrap();
    assert!(state.schema.problem.unwrap().contains("SQL_ASCII"));
}

#[tokio::test]
async fn a_newer_schema_is_refused() {
    let db = db().await;
    sqlx::query(
        "insert into _sqlx_migrations (version, description, success, checksum, execution_time)
         values (9999, 'from the future', true, ''::bytea, 0)",
    )
    .execute(&db.raw)
    .await
    .unwrap();
    let error = db.store.schema_check().await.unwrap_err();
    assert!(matches!(error, Error::Schema { found: 9999, .. }), "{error}");
    assert_eq!(error.code(), Code::Unavailable);
    let error = db.store.migrate().await.unwrap_err();
    assert!(matches!(error, Error::Schema { found: 9999, .. }), "{error}");
}

#[tokio::test]
async fn an_older_migration_that_is_missing_or_other_is_refused() {
    let db = db().await;
    let run = |statement: &'static str| sqlx::query(statement).execute(&db.raw);
    run("update _sqlx_migrations set checksum = '\\x00' where version = 2").await.unwrap();
    let error = db.store.schema_check().await.unwrap_err();
    assert!(matches!(error, Error::Foreign { version: 2 }), "{error}");
    assert_eq!(error.code(), Code::Unavailable);
    let error = db.store.migrate().await.unwrap_err();
    assert!(matches!(error, Error::Foreign { version: 2 }), "{error}");
    run("delete from _sqlx_migrations where version = 2").await.unwrap();
    let error = db.store.schema_check().await.unwrap_err();
    assert!(matches!(error, Error::Schema { found: 1, .. }), "{error}");
}

/// What a database has, but for the state of its statistics.
async fn contents(db: &Db) -> Vec<String> {
    sqlx::query_scalar(
        "select format('%s %s', relname, relfilenode) from pg_class
         where relnamespace = 'public'::regnamespace
         union all
         select format('%s %s %s', version, encode(checksum, 'hex'), installed_on) from _sqlx_migrations
         order by 1",
    )
    .fetch_all(&db.raw)
    .await
    .unwrap()
}

#[tokio::test]
async fn a_database_of_a_version_before_the_baseline_is_refused_and_left_as_it_is() {
    let db = db().await;
    for statement in [
        // 0001 of that time, and the newest of its migrations.
        "update _sqlx_migrations set checksum = '\x4910b15b584e2b3e085a5ff59b641158e2609f736e6b9afafa33f30e95217e2e2b699ce03b923245d03584070551e30f'
         where version = 1",
        "update _sqlx_migrations set version = version + 126 where version > 1",
    ] {
        sqlx::query(statement).execute(&db.raw).await.unwrap();
    }
    let before = contents(&db).await;
    for refused in [db.store.migrate().await, db.store.schema_check().await] {
        let error = refused.unwrap_err();
        assert!(matches!(error, Error::BeforeBaseline), "{error}");
        assert_eq!(error.code(), Code::Unavailable);
        for word in ["tarsy backup", "tarsy restore", "docs/install/upkeep.md"] {
            assert!(error.to_string().contains(word), "{error}");
        }
    }
    assert_eq!(contents(&db).await, before);
    let state = db.store.find_database_state().await.unwrap();
    assert!(state.schema.problem.unwrap().contains("tarsy backup"));
}

#[tokio::test]
async fn every_call_may_be_made_in_a_task_of_its_own() {
    fn in_a_task(_: impl Send + 'static) {}
    let store = db().await.store;
    in_a_task({
        let store = store.clone();
        async move { store.list_sessions(SessionQuery::default()).await }
    });
    in_a_task({
        let store = store.clone();
        async move { store.claim_session("owner", LEASE, 1).await }
    });
    in_a_task({
        let store = store.clone();
        async move { store.insert_session(alert()).await }
    });
    let fence = Fence { session_id: SessionId::new(), epoch: 1 };
    in_a_task({
        let store = store.clone();
        async move { store.commit(fence, Batch::new()).await }
    });
    in_a_task({
        let store = store.clone();
        async move { store.finish_session(fence, end(SessionStatus::Failed)).await }
    });
    in_a_task({
        let store = store.clone();
        async move { store.migrate().await }
    });
    in_a_task(async move { store.find_session_detail(fence.session_id).await });
}
