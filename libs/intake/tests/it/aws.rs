//! What services of AWS send through SNS, beside alarms, and what EventBridge sends itself.

use serde_json::{Value, json};
use tarsy_intake::{Alert, Kind, Status};

use crate::support::{alert, changed, pairs, payload, time, titles, with};

const TOPIC: &str = "arn:aws:sns:eu-west-1:123456789012:data-alerts";

/// A message of a topic, as SNS wraps it.
fn through(topic: &str, id: &str, message: &str) -> Alert {
    let body = json!({
        "Type": "Notification", "MessageId": id, "TopicArn": topic, "Subject": "A subject that is always the same",
        "Message": message, "Timestamp": "2026-11-24T12:00:07.000Z", "SignatureVersion": "2",
    });
    alert(Kind::Sns, &body.to_string())
}

fn of(message: &str) -> Alert {
    through(TOPIC, "m-1", message)
}

#[test]
fn an_event_of_rds_is_distinguished_by_its_database_and_its_kind() {
    let first = of(&payload("rds"));
    assert_eq!(first.title, "orders: DB instance restarted");
    assert_eq!(first.service.as_deref(), Some("orders"));
    assert_eq!(first.starts_at, time("2026-11-24T12:00:00Z"));
    assert_eq!(
        pairs(&first.labels),
        "event_id=RDS-EVENT-0006 source_id=orders source_type=db-instance team=payments topic=data-alerts"
    );
    assert_eq!(titles(&first), ["Resource"]);
    let again =
        through(TOPIC, "m-2", &with("rds", &[("/Event Time", json!("2026-11-24 13:00:00"))]));
    assert_eq!(again.fingerprint, first.fingerprint);
    let other_database = of(&with(
        "rds",
        &[
            ("/Source ID", json!("carts")),
            ("/Source ARN", json!("arn:aws:rds:eu-west-1:1:db:carts")),
        ],
    ));
    let other_event = of(&changed("rds", "/Event ID", "https://docs/#RDS-EVENT-0013"));
    let other_topic = through("arn:aws:sns:eu-west-1:123456789012:x", "m-1", &payload("rds"));
    for other in [&other_database, &other_event, &other_topic] {
        assert_ne!(other.fingerprint, first.fingerprint);
    }
    assert_eq!(other_event.group_key, first.group_key, "one session for what one database reports");
    assert_ne!(other_database.group_key, first.group_key);
}

#[test]
fn tasks_of_ecs_are_distinguished_and_belong_to_their_service() {
    let first = of(&payload("eventbridge"));
    assert_eq!(first.title, "checkout: Essential container in task exited");
    assert_eq!(
        (first.service.as_deref(), first.cluster.as_deref()),
        (Some("checkout"), Some("shop"))
    );
    assert_eq!(first.starts_at, time("2026-11-24T12:00:00Z"));
    assert_eq!(first.labels["stop_code"], "EssentialContainerExited");
    let other_task =
        of(&changed("eventbridge", "/resources/0", "arn:aws:ecs:eu-west-1:1:task/shop/2"));
    let other_service = of(&with(
        "eventbridge",
        &[
            ("/resources/0", json!("arn:aws:ecs:eu-west-1:1:task/shop/3")),
            ("/detail/group", json!("service:cart")),
        ],
    ));
    assert_ne!(other_task.fingerprint, first.fingerprint);
    assert_eq!(other_task.group_key, first.group_key);
    assert_ne!(other_service.group_key, first.group_key);
}

#[test]
fn an_event_is_the_same_alert_through_sns_and_from_an_api_destination() {
    let direct = alert(Kind::EventBridge, &payload("eventbridge"));
    let through = of(&payload("eventbridge"));
    assert_eq!(direct.fingerprint, through.fingerprint);
    assert_eq!(direct.source_id.as_deref(), Some("3317b2af-7005-947d-b652-f55e762e571a"));
}

#[test]
fn an_event_about_the_end_of_a_problem_resolves_it() {
    let event = |kind: &str, detail: Value| {
        let changes = [("/detail-type", json!(kind)), ("/detail", detail)];
        alert(Kind::EventBridge, &with("eventbridge", &changes))
    };
    for (kind, begun, over) in [
        (
            "CloudWatch Alarm State Change",
            json!({"alarmName": "5xx", "state": {"value": "ALARM", "reason": "Threshold Crossed"}}),
            json!({"alarmName": "5xx", "state": {"value": "OK"}}),
        ),
        ("AWS Health Event", json!({"statusCode": "open"}), json!({"statusCode": "closed"})),
        (
            "ECS Service Action",
            json!({"eventName": "SERVICE_TASK_START_IMPAIRED", "eventType": "WARN"}),
            json!({"eventName": "SERVICE_STEADY_STATE", "eventType": "INFO"}),
        ),
        (
            "CodePipeline Pipeline Execution State Change",
            json!({"pipeline": "shop", "state": "FAILED"}),
            json!({"pipeline": "shop", "state": "SUCCEEDED"}),
        ),
    ] {
        let (begun, over) = (event(kind, begun), event(kind, over));
        assert_eq!((begun.status, over.status), (Status::Firing, Status::Resolved), "{kind}");
        assert_eq!(begun.fingerprint, over.fingerprint, "{kind}");
        assert_eq!((begun.ends_at, over.ends_at), (None, time("2026-11-24T12:00:00Z")), "{kind}");
    }
}

#[test]
fn an_event_without_resources_is_distinguished_by_its_detail() {
    let of = |instance: &str| {
        let changes =
            [("/resources", json!([])), ("/detail", json!({"service": "EC2", "entity": instance}))];
        alert(Kind::EventBridge, &with("eventbridge", &changes)).fingerprint
    };
    assert_eq!(of("i-1"), of("i-1"));
    assert_ne!(of("i-1"), of("i-2"));
}

#[test]
fn a_threshold_of_a_budget_is_one_alert_whatever_was_spent() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/payloads/budget.txt");
    let text = std::fs::read_to_string(path).unwrap();
    let first = of(&text);
    assert_eq!(first.title, "Budget shop: actual amount $81.70 (> $80.00)");
    assert_eq!(
        pairs(&first.labels),
        "account=123456789012 amount_type=ACTUAL budget=shop budget_type=Cost threshold=> $80.00 topic=data-alerts"
    );
    let more = of(&text.replace("$81.70", "$90.00").replace("November 24", "November 25"));
    assert_eq!(more.fingerprint, first.fingerprint);
    let other = of(&text.replace("Budget Name: shop", "Budget Name: staging"));
    assert_ne!(other.fingerprint, first.fingerprint);
    assert_ne!(of(&text.replace("$80.00", "$100.00")).fingerprint, first.fingerprint);
}

#[test]
fn any_other_message_of_a_topic_is_distinguished_by_its_text() {
    for (left, right) in [
        (
            json!({"version": "0", "group": "a"}).to_string(),
            json!({"version": "0", "group": "b"}).to_string(),
        ),
        ("backup of a failed".to_owned(), "backup of b failed".to_owned()),
    ] {
        assert_ne!(of(&left).fingerprint, of(&right).fingerprint);
        assert_eq!(of(&left).fingerprint, through(TOPIC, "m-2", &left).fingerprint);
        assert_ne!(
            of(&left).fingerprint,
            through("arn:aws:sns:eu-west-1:1:x", "m-1", &left).fingerprint
        );
    }
}
