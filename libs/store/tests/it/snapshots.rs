//! Configurations that sessions share.

use std::time::Duration;

use serde_json::json;
use tarsy_domain::id::SessionId;
use tarsy_store::{
    AlertQuota, Created, NewSession, Redaction, RedactionEffect, RedactionPosition, RetainedKind,
};

use crate::setup::{Db, alert, db};

const SHARED: &str = "select count(*) from config_snapshots";
const OWN: &str = "select count(*) from alert_sessions where config_snapshot is not null";

fn with_instructions(text: &str) -> NewSession {
    NewSession { config_snapshot: json!({"stages": [{"instructions": text}]}), ..alert() }
}

impl Db {
    async fn submit(&self, new: NewSession) -> SessionId {
        match self.store.insert_admitted_session(new, AlertQuota::default()).await {
            Ok(Ok(Created::New { session_id, events })) => {
                assert_eq!(events.len(), 1);
                session_id
            }
            other => panic!("not new: {other:?}"),
        }
    }

    async fn instructions(&self, id: SessionId) -> String {
        let session = self.store.find_session(id).await.unwrap().unwrap();
        session.config_snapshot["stages"][0]["instructions"].as_str().unwrap().to_owned()
    }
}

#[tokio::test]
async fn sessions_of_one_configuration_share_it_and_keep_theirs_when_it_is_edited() {
    let db = db().await;
    let first = db.submit(with_instructions("look at the disk")).await;
    let second = db.create(with_instructions("look at the disk")).await;
    let edited = db.submit(with_instructions("look at the network")).await;
    assert_eq!((db.count(SHARED).await, db.count(OWN).await), (2, 0));
    for (id, text) in [(first, "disk"), (second, "disk"), (edited, "network")] {
        assert_eq!(db.instructions(id).await, format!("look at the {text}"));
    }
    let claim = db.claim().await.unwrap();
    assert_eq!(claim.session.id, first);
    assert_eq!(
        claim.session.config_snapshot,
        with_instructions("look at the disk").config_snapshot
    );
}

#[tokio::test]
async fn a_configuration_that_is_gone_is_the_sessions_own() {
    let db = db().await;
    db.submit(with_instructions("look")).await;
    sqlx::query("delete from config_snapshots").execute(&db.raw).await.unwrap();
    let submitted = db.submit(with_instructions("look")).await;
    assert_eq!((db.count(SHARED).await, db.count(OWN).await), (0, 1));
    assert_eq!(db.instructions(submitted).await, "look");
    let again = db.create(with_instructions("look")).await;
    assert_eq!((db.count(SHARED).await, db.count(OWN).await), (1, 1), "it is stored anew");
    assert_eq!(db.instructions(again).await, "look");
}

#[tokio::test]
async fn a_text_that_is_removed_from_a_configuration_is_missing_in_no_later_session() {
    let db = db().await;
    let before = db.submit(with_instructions("the password is hunter2-of-web")).await;
    let redaction = Redaction {
        spellings: vec!["hunter2-of-web".to_owned()],
        reason: "a password".to_owned(),
        effect: RedactionEffect::Remove,
    };
    let position = RedactionPosition { table: "config_snapshots".to_owned(), after: None };
    let step = db.store.redact_rows(&redaction, &position).await.unwrap().unwrap();
    assert_eq!(step.rows, 1);
    let removed = "the password is [removed by an administrator: a password]";
    assert_eq!(db.instructions(before).await, removed);
    // The operator's file still has it: that of the next session is as the file is. Twice: known, and looked up.
    for own in [1, 2] {
        let after = db.submit(with_instructions("the password is hunter2-of-web")).await;
        assert_eq!(db.instructions(after).await, "the password is hunter2-of-web");
        assert_eq!((db.count(SHARED).await, db.count(OWN).await), (1, own));
    }
    assert_eq!(db.instructions(before).await, removed);
}

#[tokio::test]
async fn a_configuration_is_deleted_a_day_after_no_session_can_have_it() {
    let db = db().await;
    let purged = || db.store.purge(RetainedKind::Configurations, Duration::ZERO);
    let old = db.submit(with_instructions("old")).await;
    sqlx::raw_sql(
        "update config_snapshots set used_at = now() - interval '9 days';
         update alert_sessions set created_at = now() - interval '9 days'",
    )
    .execute(&db.raw)
    .await
    .unwrap();
    db.submit(with_instructions("new")).await;
    assert_eq!(purged().await.unwrap(), 0, "a session has it");
    sqlx::query("update alert_sessions set deleted_at = now() where id = $1")
        .bind(old.uuid())
        .execute(&db.raw)
        .await
        .unwrap();
    assert_eq!(purged().await.unwrap(), 0, "one that is hidden has it");
    sqlx::query("delete from alert_sessions where id = $1")
        .bind(old.uuid())
        .execute(&db.raw)
        .await
        .unwrap();
    assert_eq!(purged().await.unwrap(), 1);
    assert_eq!(purged().await.unwrap(), 0, "the other is in use");
    sqlx::raw_sql("delete from alert_sessions").execute(&db.raw).await.unwrap();
    assert_eq!(purged().await.unwrap(), 0, "it was used today");
}
