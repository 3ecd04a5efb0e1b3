//! A backup from one moment, and its way into another database.

use std::collections::BTreeMap;

use bytes::Bytes;
use futures::TryStreamExt as _;
use jiff::Timestamp;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};
use tarsy_domain::event::Role;
use tarsy_domain::status::SessionStatus;
use tarsy_store::{
    AppliedMigration, Batch, Created, Error, Fence, IdentityValue, NewDeadLetter, NewNotification,
    NotificationKind, NotificationOutcome, Op, Restore, RestoreError, RestoreTarget, Snapshot,
    Store, TableColumns,
};
use tarsy_testkit::TestPg;

use crate::setup::{Db, LEASE, Work, alert, call_end, db, end};

/// A backup in memory.
struct Copied {
    tables: Vec<(TableColumns, Vec<Bytes>)>,
    migrations: Vec<AppliedMigration>,
    identities: Vec<IdentityValue>,
    taken_at: Timestamp,
}

async fn copied(mut snapshot: Snapshot) -> Copied {
    let mut tables = Vec::new();
    for table in snapshot.tables().to_vec() {
        let parts = snapshot.copy_out(&table).await.unwrap().try_collect().await.unwrap();
        tables.push((table, parts));
    }
    let migrations = snapshot.migrations().to_vec();
    let identities = snapshot.identities().to_vec();
    Copied { tables, migrations, identities, taken_at: snapshot.taken_at() }
}

async fn begun(copied: &Copied, url: &str, target: RestoreTarget) -> Result<Restore, RestoreError> {
    let mut restore = Restore::begin(url, &copied.migrations, target).await?;
    for (table, parts) in &copied.tables {
        let mut writer = restore.copy_in(table).await?;
        for part in parts {
            writer.send(part.clone()).await?;
        }
        writer.finish().await?;
    }
    Ok(restore)
}

async fn restored(copied: &Copied, url: &str, target: RestoreTarget) -> Result<(), RestoreError> {
    begun(copied, url, target)
        .await?
        .finish(copied.taken_at, "tarsy/test", &copied.identities)
        .await
}

/// How many rows each table has, and a digest of them; without those that a restore changes.
async fn contents(url: &str) -> BTreeMap<String, String> {
    const CHANGED: [&str; 5] =
        ["_sqlx_migrations", "notifications", "restores", "session_control", "summaries"];
    let mut connection = PgConnection::connect(url).await.unwrap();
    let tables: Vec<String> = sqlx::query_scalar(
        "select tablename::text from pg_tables where schemaname = 'public' and tablename <> all($1)",
    )
    .bind(CHANGED)
    .fetch_all(&mut connection)
    .await
    .unwrap();
    let mut contents = BTreeMap::new();
    for table in tables {
        let digest = format!(
            "select count(*) || ' ' || coalesce(md5(string_agg(t::text, ',' order by t::text)), '') from {table} t"
        );
        let digest = sqlx::query_scalar(AssertSqlSafe(digest)).fetch_one(&mut connection);
        contents.insert(table, digest.await.unwrap());
    }
    contents
}

async fn tables(url: &str) -> i64 {
    let mut connection = PgConnection::connect(url).await.unwrap();
    let count = "select count(*) from pg_tables where schemaname = 'public'";
    sqlx::query_scalar(count).fetch_one(&mut connection).await.unwrap()
}

/// A session in the middle of a call, a finished one with a call, and a waiting one.
async fn filled(db: &Db) -> Work {
    let done = db.working().await;
    let (event, message) = (done.streaming(), done.message(1, Role::User, "why\n\\N\ttab"));
    let call = done.call(event.id);
    let batch = Batch::new()
        .with(Op::LlmInteraction(done.llm(Some(message.id))))
        .with(Op::AppendMessage(message))
        .with(Op::OpenEvent(event))
        .with(Op::CallStarted(call.clone()));
    db.store.commit(done.fence, batch).await.unwrap();
    let mut outcome = call_end(&call, "cut");
    outcome.whole_result = Some("whole ".repeat(100_000));
    db.store.commit(done.fence, Batch::new().with(Op::CallFinished(outcome))).await.unwrap();
    let mut finding = end(SessionStatus::Completed);
    finding.final_analysis = Some("the disk is full, \\. and \u{1F525}".to_owned());
    db.store.finish_session(done.fence, finding).await.unwrap();
    let letter = NewDeadLetter {
        subject: "tarsy.intake.alert".to_owned(),
        payload: vec![0, 159, 146, 150, b'\n', b'\\'],
        error: "not an alert".to_owned(),
        deliveries: 5,
    };
    db.store.insert_dead_letter(letter).await.unwrap();
    let running = db.working().await;
    let event = running.streaming();
    let call = running.call(event.id);
    let batch = Batch::new().with(Op::OpenEvent(event)).with(Op::CallStarted(call));
    db.store.commit(running.fence, batch).await.unwrap();
    db.pending().await;
    running
}

#[tokio::test]
async fn a_backup_has_one_moment_and_comes_back_whole() {
    let db = db().await;
    filled(&db).await;
    let before = contents(db.url()).await;
    let snapshot = Snapshot::begin(db.url()).await.unwrap();
    // What comes later is not in it.
    db.pending().await;
    let copied = copied(snapshot).await;

    let pg = TestPg::start().await.unwrap();
    restored(&copied, pg.url(), RestoreTarget::Empty).await.unwrap();
    let after = contents(pg.url()).await;
    assert_eq!(after, before);
    let store = Store::connect(pg.url(), 2).await.unwrap();
    store.schema_check().await.unwrap();
    // Triggers and computed columns work again.
    store.insert_session(alert()).await.unwrap();
    let mut connection = PgConnection::connect(pg.url()).await.unwrap();
    for count in [
        "select count(*) from search_documents where kind = 'alert' and words <> ''",
        "select count(*) from session_words where words <> ''",
    ] {
        let rows: i64 = sqlx::query_scalar(count).fetch_one(&mut connection).await.unwrap();
        assert_eq!(rows, 4, "{count}");
    }
    let orphan =
        "insert into stages (id, session_id, stage_index, stage_name, status, expected_agent_count)
        values (gen_random_uuid(), gen_random_uuid(), 0, 's', 'pending', 1)";
    let refused = sqlx::query(orphan).execute(&mut connection).await.unwrap_err();
    assert!(refused.as_database_error().unwrap().is_foreign_key_violation(), "{refused}");
}

#[tokio::test]
async fn owners_of_the_time_before_are_fenced_and_their_work_is_taken_over() {
    let db = db().await;
    let running = filled(&db).await;
    let copied = copied(Snapshot::begin(db.url()).await.unwrap()).await;
    let pg = TestPg::start().await.unwrap();
    restored(&copied, pg.url(), RestoreTarget::Empty).await.unwrap();
    let store = Store::connect(pg.url(), 2).await.unwrap();
    // The lost database may have gone on with higher epochs.
    for epoch in running.fence.epoch..running.fence.epoch + 3 {
        let fence = Fence { epoch, ..running.fence };
        let error =
            store.commit(fence, Batch::new().with(Op::OpenEvent(running.streaming()))).await;
        assert!(error.unwrap_err().is_fenced());
    }
    let claim = store.claim_session("new", LEASE, 100).await.unwrap().unwrap();
    assert_eq!(claim.fence.session_id, running.fence.session_id);
    assert!(claim.fence.epoch > running.fence.epoch + 3);
}

#[tokio::test]
async fn a_notification_that_a_restore_has_lost_has_the_same_id_and_is_searched() {
    let db = db().await;
    let running = filled(&db).await;
    let names = ["ops".to_owned()];
    let row = |kind| NewNotification {
        session_id: running.fence.session_id,
        kind,
        destination: "ops".to_owned(),
        send: true,
    };
    db.store.insert_notifications(&[row(NotificationKind::Started)]).await.unwrap();
    let copied = copied(Snapshot::begin(db.url()).await.unwrap()).await;
    db.store.insert_notifications(&[row(NotificationKind::Ended)]).await.unwrap();
    // The end is due once the start was sent.
    let mut sent = Vec::new();
    for _ in 0..2 {
        let claimed = db.store.claim_notifications(&names, 10, LEASE).await.unwrap();
        let [one] = &claimed[..] else { panic!("{claimed:?}") };
        assert_eq!(one.attempted_at, None);
        let outcome = NotificationOutcome::Sent { external_ref: None };
        db.store.finish_notification(one.id, one.claim, outcome).await.unwrap();
        sent.push(one.id);
    }

    let pg = TestPg::start().await.unwrap();
    restored(&copied, pg.url(), RestoreTarget::Empty).await.unwrap();
    let store = Store::connect(pg.url(), 2).await.unwrap();
    let claimed = store.claim_notifications(&names, 10, LEASE).await.unwrap();
    let [started] = &claimed[..] else { panic!("{claimed:?}") };
    assert!(started.attempted_at.is_some(), "it may have been sent");
    store
        .finish_notification(
            started.id,
            started.claim,
            NotificationOutcome::Sent { external_ref: None },
        )
        .await
        .unwrap();
    store.insert_notifications(&[row(NotificationKind::Ended)]).await.unwrap();
    let claimed = store.claim_notifications(&names, 10, LEASE).await.unwrap();
    let [ended] = &claimed[..] else { panic!("{claimed:?}") };
    assert_eq!(sent, [started.id, ended.id]);
    assert_eq!(ended.attempted_at, Some(ended.submitted_at));
    // A session that began after the restore has no past.
    let later = store.insert_session(alert()).await.unwrap();
    let Created::New { session_id, .. } = later else { panic!("{later:?}") };
    store
        .insert_notifications(&[NewNotification { session_id, ..row(NotificationKind::Ended) }])
        .await
        .unwrap();
    let claimed = store.claim_notifications(&names, 10, LEASE).await.unwrap();
    assert_eq!(claimed[0].attempted_at, None);
}

#[tokio::test]
async fn a_database_with_rows_is_refused_unless_it_is_to_be_replaced() {
    let db = db().await;
    filled(&db).await;
    let copied = copied(Snapshot::begin(db.url()).await.unwrap()).await;
    let pg = TestPg::migrated().await.unwrap();
    let store = Store::connect(pg.url(), 2).await.unwrap();
    // A service that has done nothing yet.
    let error = restored(&copied, pg.url(), RestoreTarget::Empty).await.unwrap_err();
    assert!(matches!(error, RestoreError::InUse { connections: 1.. }), "{error}");
    store.insert_session(alert()).await.unwrap();
    let error = restored(&copied, pg.url(), RestoreTarget::Empty).await.unwrap_err();
    assert!(matches!(error, RestoreError::NotEmpty { .. }), "{error}");
    let error = restored(&copied, pg.url(), RestoreTarget::Replaced).await.unwrap_err();
    assert!(matches!(error, RestoreError::InUse { .. }), "{error}");
    store.close();
    closed(pg.url()).await;
    restored(&copied, pg.url(), RestoreTarget::Replaced).await.unwrap();
    assert_eq!(contents(pg.url()).await, contents(db.url()).await);
}

/// Waits until no connection of a store is left.
async fn closed(url: &str) {
    let mut connection = PgConnection::connect(url).await.unwrap();
    tarsy_testkit::eventually("the store's connections are closed", async || {
        let open: i64 = sqlx::query_scalar(
            "select count(*) from pg_stat_activity
             where datname = current_database() and application_name = 'tarsy'",
        )
        .fetch_one(&mut connection)
        .await
        .unwrap();
        open == 0
    })
    .await;
}

#[tokio::test]
async fn a_migrated_database_without_rows_counts_as_empty() {
    let db = db().await;
    filled(&db).await;
    let copied = copied(Snapshot::begin(db.url()).await.unwrap()).await;
    let pg = TestPg::migrated().await.unwrap();
    let store = Store::connect(pg.url(), 1).await.unwrap();
    store.close();
    closed(pg.url()).await;
    restored(&copied, pg.url(), RestoreTarget::Empty).await.unwrap();
    assert_eq!(contents(pg.url()).await, contents(db.url()).await);
}

#[tokio::test]
async fn a_restore_that_does_not_end_leaves_nothing() {
    let db = db().await;
    filled(&db).await;
    let mut copied = copied(Snapshot::begin(db.url()).await.unwrap()).await;
    let pg = TestPg::start().await.unwrap();
    drop(begun(&copied, pg.url(), RestoreTarget::Empty).await.unwrap());
    closed(pg.url()).await;
    assert_eq!(tables(pg.url()).await, 0);
    // Rows without what they refer to.
    let whole = copied.tables.clone();
    copied.tables.retain(|(table, _)| table.name != "alert_sessions");
    let error = restored(&copied, pg.url(), RestoreTarget::Empty).await.unwrap_err();
    assert!(matches!(error, RestoreError::Store(Error::Database(_))), "{error}");
    closed(pg.url()).await;
    assert_eq!(tables(pg.url()).await, 0);
    copied.tables = whole;
    restored(&copied, pg.url(), RestoreTarget::Empty).await.unwrap();
}

#[tokio::test]
async fn a_newer_schema_or_another_one_is_refused() {
    let db = db().await;
    let copied = copied(Snapshot::begin(db.url()).await.unwrap()).await;
    let pg = TestPg::start().await.unwrap();
    let begin = async |migrations: Vec<AppliedMigration>| {
        Restore::begin(pg.url(), &migrations, RestoreTarget::Empty).await.unwrap_err()
    };
    let mut newer = copied.migrations.clone();
    newer.push(AppliedMigration { version: 9999, checksum: String::new() });
    let error = begin(newer).await;
    assert!(matches!(error, RestoreError::Newer { found: 9999, .. }), "{error}");
    let mut foreign = copied.migrations.clone();
    foreign[1].checksum = "00".to_owned();
    let error = begin(foreign.clone()).await;
    assert!(matches!(error, RestoreError::Foreign { version: 2 }), "{error}");
    // Of a version before the baseline, and not the last.
    foreign[0].checksum = "00".to_owned();
    let error = begin(foreign).await;
    assert!(matches!(error, RestoreError::BeforeBaseline), "{error}");
    assert_eq!(tables(pg.url()).await, 0);
    let empty = Snapshot::begin(pg.url()).await.unwrap_err();
    assert!(matches!(empty, Error::Schema { found: 0, .. }), "{empty}");
}

#[tokio::test]
async fn numbers_go_on_after_the_last_one_that_was_given() {
    let db = db().await;
    let insert = "insert into intake_alerts (id, source, fingerprint, status, title, alert_type, chain_id, action, reason, decision)
        values (gen_random_uuid(), 's', 'f', 'firing', 't', 'a', 'c', 'ignore', 'acknowledged', '{}') returning seq";
    for expected in 1..=3_i64 {
        let seq: i64 = sqlx::query_scalar(insert).fetch_one(&db.raw).await.unwrap();
        assert_eq!(seq, expected);
    }
    sqlx::query("delete from intake_alerts where seq > 1").execute(&db.raw).await.unwrap();
    let copied = copied(Snapshot::begin(db.url()).await.unwrap()).await;
    let pg = TestPg::start().await.unwrap();
    restored(&copied, pg.url(), RestoreTarget::Empty).await.unwrap();
    let mut connection = PgConnection::connect(pg.url()).await.unwrap();
    let seq: i64 = sqlx::query_scalar(insert).fetch_one(&mut connection).await.unwrap();
    assert_eq!(seq, 4, "an agent that was given alert 3 is given this one");
}
