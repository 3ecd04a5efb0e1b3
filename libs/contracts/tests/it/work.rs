use serde_json::json;
use tarsy_contracts::alert::AlertFields;
use tarsy_contracts::work::{
    Cancel, ChatWakeUp, IdempotencyKey, Intake, IntakeAlert, SessionWakeUp,
};

use crate::{golden, id};

#[test]
fn a_wake_up_names_its_session() {
    insta::assert_snapshot!(golden(&SessionWakeUp { session_id: id(1) }), @r#"
    {
      "session_id": "01890000-0000-7000-8000-000000000001"
    }
    "#);
    insta::assert_snapshot!(golden(&ChatWakeUp { session_id: id(1) }), @r#"
    {
      "session_id": "01890000-0000-7000-8000-000000000001"
    }
    "#);
}

#[test]
fn a_cancel_names_its_session() {
    insta::assert_snapshot!(golden(&Cancel { session_id: id(1) }), @r#"
    {
      "session_id": "01890000-0000-7000-8000-000000000001"
    }
    "#);
}

/// An alert with everything.
fn whole() -> IntakeAlert {
    IntakeAlert {
        session_id: id(1),
        alert_data: "the disk is full".to_owned(),
        alert_type: Some("host".to_owned()),
        chain_id: "host".to_owned(),
        author: Some("alice".to_owned()),
        principal: Some("user:alice".to_owned()),
        runbook_url: Some("https://runbooks.example/disk.md".to_owned()),
        mcp_selection: Some(json!({"servers": [{"name": "host"}]})),
        requested_provider: Some("fast".to_owned()),
        slack_message_fingerprint: Some("abc".to_owned()),
        fields: AlertFields {
            title: Some("disk full".to_owned()),
            labels: [("team".to_owned(), "storage".to_owned())].into(),
            ..AlertFields::default()
        },
        idempotency: Some(IdempotencyKey {
            principal: "user:alice".to_owned(),
            key: "key-1".to_owned(),
            request_hash: "ab12".to_owned(),
        }),
        config_snapshot: json!({"chain_id": "host"}),
    }
}

#[test]
fn an_alert_waits_for_the_database() {
    insta::assert_snapshot!(golden(&Intake::Inline { alert: Box::new(whole()) }), @r#"
    {
      "kept": "inline",
      "alert": {
        "session_id": "01890000-0000-7000-8000-000000000001",
        "alert_data": "the disk is full",
        "alert_type": "host",
        "chain_id": "host",
        "author": "alice",
        "principal": "user:alice",
        "runbook_url": "https://runbooks.example/disk.md",
        "mcp_selection": {
          "servers": [
            {
              "name": "host"
            }
          ]
        },
        "requested_provider": "fast",
        "slack_message_fingerprint": "abc",
        "fields": {
          "title": "disk full",
          "labels": {
            "team": "storage"
          }
        },
        "idempotency": {
          "principal": "user:alice",
          "key": "key-1",
          "request_hash": "ab12"
        },
        "config_snapshot": {
          "chain_id": "host"
        }
      }
    }
    "#);
    let blob = Intake::Blob { session_id: id(1), name: "01890000".to_owned() };
    insta::assert_snapshot!(golden(&blob), @r#"
    {
      "kept": "blob",
      "session_id": "01890000-0000-7000-8000-000000000001",
      "name": "01890000"
    }
    "#);
}

#[test]
fn what_an_alert_leaves_out_is_not_sent() {
    let bare = IntakeAlert {
        alert_type: None,
        author: None,
        principal: None,
        runbook_url: None,
        mcp_selection: None,
        requested_provider: None,
        slack_message_fingerprint: None,
        fields: AlertFields::default(),
        idempotency: None,
        ..whole()
    };
    insta::assert_snapshot!(golden(&bare), @r#"
    {
      "session_id": "01890000-0000-7000-8000-000000000001",
      "alert_data": "the disk is full",
      "chain_id": "host",
      "config_snapshot": {
        "chain_id": "host"
      }
    }
    "#);
}
