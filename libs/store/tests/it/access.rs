//! API tokens, sign-ins and the audit log.

use std::time::Duration;

use tarsy_domain::access::{Grant, Role};
use tarsy_domain::event::ApprovalDecision;
use tarsy_store::{
    AuditQuery, Conflict, DecidedCall, Error, NewApiToken, NewAuditEntry, NewSignIn, RetainedKind,
    SignInEnd,
};

use crate::approvals::requested;
use crate::setup::db;

fn token(name: &str, byte: u8, grant: Grant) -> NewApiToken {
    NewApiToken {
        name: name.to_owned(),
        hash: [byte; 32],
        grant,
        created_by: "alice".to_owned(),
        lifetime: Duration::from_hours(1),
    }
}

#[tokio::test]
async fn a_token_is_found_by_its_hash_until_it_is_revoked() {
    let db = db().await;
    let source = Grant::Source { alert_types: vec!["kubernetes".to_owned()] };
    let made = db.store.insert_api_token(token("alertmanager", 1, source.clone())).await.unwrap();
    assert_eq!(
        (made.name.as_str(), &made.grant, made.last_used_at),
        ("alertmanager", &source, None)
    );
    let admin = Grant::Role(Role::Admin);
    db.store.insert_api_token(token("ci", 2, admin.clone())).await.unwrap();
    let twice = db.store.insert_api_token(token("ci", 3, admin.clone())).await;
    assert!(matches!(twice, Err(Error::Conflict(Conflict::Exists { .. }))), "{twice:?}");

    let found = db.store.use_api_token(&[2; 32]).await.unwrap().unwrap();
    assert_eq!(found.grant, admin);
    assert_eq!(db.store.use_api_token(&[9; 32]).await.unwrap(), None);
    let listed = db.store.list_api_tokens(10).await.unwrap();
    let names: Vec<_> =
        listed.iter().map(|one| (one.name.as_str(), one.last_used_at.is_some())).collect();
    assert_eq!(names, [("alertmanager", false), ("ci", true)]);

    assert!(db.store.revoke_api_token(found.id).await.unwrap().is_some());
    assert!(db.store.revoke_api_token(found.id).await.unwrap().is_none());
    assert_eq!(db.store.use_api_token(&[2; 32]).await.unwrap(), None);
    // The name is free again.
    db.store.insert_api_token(token("ci", 4, admin)).await.unwrap();
    sqlx::query("update api_tokens set expires_at = now() where revoked_at is null")
        .execute(&db.raw)
        .await
        .unwrap();
    assert_eq!(db.store.use_api_token(&[4; 32]).await.unwrap(), None);
}

#[tokio::test]
async fn the_audit_log_is_read_newest_first_and_never_changed() {
    let db = db().await;
    let entry = |principal: &str, outcome| NewAuditEntry {
        id: uuid::Uuid::now_v7(),
        principal: principal.to_owned(),
        credential: "local".to_owned(),
        client_address: Some("127.0.0.1".to_owned()),
        action: "submit_alert".to_owned(),
        object: None,
        outcome,
        status: 202,
        request_id: Some("req-\u{0}1".to_owned()),
        count: 3,
        session_id: None,
        decided: None,
    };
    let entries = [entry("alice", "allowed"), entry("bob", "denied"), entry("alice", "failed")];
    db.store.insert_audit_entries(&entries).await.unwrap();
    let list = async |query: AuditQuery| db.store.list_audit_entries(&query).await.unwrap();
    let all = list(AuditQuery { limit: 10, ..AuditQuery::default() }).await;
    let names: Vec<_> = all.iter().map(|one| one.principal.as_str()).collect();
    assert_eq!(names, ["alice", "bob", "alice"]);
    assert_eq!(all[0].count, 3);
    let older =
        list(AuditQuery { limit: 10, before: Some(all[0].id), ..AuditQuery::default() }).await;
    assert_eq!(older.len(), 2);
    let denied =
        AuditQuery { outcome: Some("denied".to_owned()), limit: 10, ..AuditQuery::default() };
    assert_eq!(list(denied).await.len(), 1);
    let at = all[0].created_at;
    for (start_date, end_date, expected) in [
        (Some(at), Some(at), 3),
        (Some(at + Duration::from_micros(1)), None, 0),
        (None, Some(at - Duration::from_micros(1)), 0),
    ] {
        let query = AuditQuery { start_date, end_date, limit: 10, ..AuditQuery::default() };
        assert_eq!(list(query).await.len(), expected, "{start_date:?} {end_date:?}");
    }

    let changed = sqlx::query("update audit_log set principal = 'mallory'").execute(&db.raw).await;
    assert!(changed.unwrap_err().to_string().contains("append-only"));
    assert_eq!(db.store.delete_audit_entries(1).await.unwrap(), 0);
    sqlx::query("alter table audit_log disable trigger audit_log_no_update; ")
        .execute(&db.raw)
        .await
        .unwrap();
    sqlx::query(
        "update audit_log set created_at = now() - interval '2 days' where principal = 'bob'",
    )
    .execute(&db.raw)
    .await
    .unwrap();
    assert_eq!(db.store.delete_audit_entries(1).await.unwrap(), 0, "the owner keeps a year");
    assert_eq!(db.store.audit_retention().await.unwrap(), 365);
    db.store.set_audit_retention(1).await.unwrap();
    assert_eq!(db.store.delete_audit_entries(3).await.unwrap(), 0);
    assert_eq!(db.store.delete_audit_entries(1).await.unwrap(), 1);
}

fn sign_in(user: &str, byte: u8) -> NewSignIn {
    NewSignIn {
        cookie_hash: [byte; 32],
        user_name: user.to_owned(),
        groups: vec!["sre".to_owned(), "on-\u{0}call".to_owned()],
        client_address: Some("127.0.0.1".to_owned()),
        lifetime: Duration::from_hours(1),
    }
}

#[tokio::test]
async fn a_sign_in_is_found_by_its_hash_until_it_ends() {
    let db = db().await;
    let alice = db.store.insert_sign_in(sign_in("alice", 1)).await.unwrap();
    assert_eq!(alice.groups.len(), 2);
    let bob = db.store.insert_sign_in(sign_in("bob", 2)).await.unwrap();
    assert_eq!(db.store.use_sign_in(&[1; 32]).await.unwrap(), Some(alice.clone()));
    assert_eq!(db.store.use_sign_in(&[9; 32]).await.unwrap(), None);
    assert_eq!(db.store.list_sign_ins(10).await.unwrap(), [bob.clone(), alice.clone()]);

    let ended = db.store.end_sign_in(alice.id, SignInEnd::SignOut).await.unwrap();
    assert_eq!(ended.unwrap().user_name, "alice");
    assert_eq!(db.store.end_sign_in(alice.id, SignInEnd::Revoked).await.unwrap(), None);
    assert_eq!(db.store.use_sign_in(&[1; 32]).await.unwrap(), None);
    assert_eq!(db.store.list_sign_ins(10).await.unwrap(), [bob]);
}

#[tokio::test]
async fn an_expired_sign_in_is_reported_once_and_later_deleted() {
    let db = db().await;
    db.store.insert_sign_in(sign_in("alice", 1)).await.unwrap();
    let bob = db.store.insert_sign_in(sign_in("bob", 2)).await.unwrap();
    db.store.end_sign_in(bob.id, SignInEnd::Revoked).await.unwrap();
    assert_eq!(db.store.end_expired_sign_ins().await.unwrap(), []);
    sqlx::query(
        "update sign_ins set expires_at = now(), last_used_at = now() - interval '2 minutes'",
    )
    .execute(&db.raw)
    .await
    .unwrap();
    assert_eq!(db.store.use_sign_in(&[1; 32]).await.unwrap(), None);
    let expired = db.store.end_expired_sign_ins().await.unwrap();
    let names: Vec<_> = expired.iter().map(|one| one.user_name.as_str()).collect();
    assert_eq!(names, ["alice"]);
    assert_eq!(db.store.end_expired_sign_ins().await.unwrap(), []);
    assert_eq!(db.store.purge(RetainedKind::SignIns, Duration::from_hours(1)).await.unwrap(), 0);
    assert_eq!(db.store.purge(RetainedKind::SignIns, Duration::ZERO).await.unwrap(), 2);
}

#[tokio::test]
async fn a_decision_stays_in_the_audit_log_when_its_session_is_deleted() {
    let db = db().await;
    let (work, _, approval) = requested(&db, Duration::from_mins(1)).await;
    let session = work.fence.session_id;
    let decided = DecidedCall {
        approval_id: approval.into(),
        tool: "kubernetes.pods_delete".to_owned(),
        decision: ApprovalDecision::Denied,
    };
    let entry = NewAuditEntry {
        id: uuid::Uuid::now_v7(),
        principal: "anna".to_owned(),
        credential: "proxy".to_owned(),
        client_address: None,
        action: "decide_approval".to_owned(),
        object: None,
        outcome: "allowed",
        status: 200,
        request_id: None,
        count: 1,
        session_id: Some(session.uuid()),
        decided: Some(decided.clone()),
    };
    db.store.insert_audit_entries(&[entry]).await.unwrap();
    let listed = async || {
        let query = AuditQuery { limit: 1, ..AuditQuery::default() };
        db.store.list_audit_entries(&query).await.unwrap().remove(0)
    };
    let known = listed().await;
    assert_eq!((known.session_id, &known.decided), (Some(session.uuid()), &Some(decided.clone())));
    assert!(known.session_title.is_some() && known.event_id.is_some());
    assert_eq!(known.arguments, Some(serde_json::json!({"name": "web-1\u{fffd}"})));

    sqlx::query("delete from alert_sessions").execute(&db.raw).await.unwrap();
    let left = listed().await;
    assert_eq!((left.session_id, left.decided), (Some(session.uuid()), Some(decided)));
    assert_eq!((left.session_title, left.arguments, left.event_id), (None, None, None));
}
