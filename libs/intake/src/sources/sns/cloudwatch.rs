//! Alarms of CloudWatch.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::alert::{Draft, Status};
use crate::json::{Node, ParseError};
use crate::labels::Labels;
use crate::notes::Notes;

/// The dimensions that name a service, the most exact first.
const SERVICES: [&str; 5] =
    ["ServiceName", "FunctionName", "LoadBalancer", "DBInstanceIdentifier", "QueueName"];

pub(super) fn is_alarm(message: &Value) -> bool {
    message.get("AlarmName").is_some() && message.get("NewStateValue").is_some()
}

pub(super) fn alarm(message: &Value, notes: Notes) -> Result<Draft, ParseError> {
    // The message is JSON within a text of the payload.
    let root = Node::named(Some(message), "/Message".to_owned(), notes);
    let name = root.at("AlarmName").required("the alarm's name")?;
    let arn = root.at("AlarmArn").text();
    let status = status(&root.at("NewStateValue"));
    let changed = root.at("StateChangeTime").time();
    let region = arn.as_deref().and_then(|arn| arn.split(':').nth(3)).map(str::to_owned);
    let labels = labels(&root, region.as_deref());
    let mut draft = Draft {
        service: SERVICES.iter().find_map(|name| labels.get(*name).cloned()),
        status,
        labels,
        fingerprint: arn.or_else(|| Some(key(&root, &name))),
        starts_at: changed.filter(|_| status == Status::Firing),
        ends_at: changed,
        raw: root.raw(),
        notes: root.notes(),
        ..Draft::default()
    };
    for (annotation, member) in [("description", "AlarmDescription"), ("reason", "NewStateReason")]
    {
        if let Some(text) = root.at(member).annotation() {
            draft.annotations.insert(annotation.to_owned(), text);
        }
    }
    if let Some(region) = region {
        let page = format!(
            "https://{region}.console.aws.amazon.com/cloudwatch/home?region={region}#alarmsV2:alarm/{}",
            name.replace(' ', "+"),
        );
        draft.link("Alarm", Some(&page));
    }
    draft.title = Some(name);
    Ok(draft)
}

/// What identifies an alarm whose ARN was not sent, as before 2020: its name in its account and region.
fn key(root: &Node<'_>, name: &str) -> String {
    let of = |member: &str| root.at(member).text().unwrap_or_default();
    format!("alarm:{}/{}/{name}", of("AWSAccountId"), of("Region"))
}

fn labels(root: &Node<'_>, region: Option<&str>) -> BTreeMap<String, String> {
    let mut labels = Labels::default();
    labels.add_text("alarm", &root.at("AlarmName"));
    labels.add_text("account", &root.at("AWSAccountId"));
    if let Some(region) = region {
        labels.add("region", region);
    }
    let trigger = root.at("Trigger");
    labels.add_text("metric", &trigger.at("MetricName"));
    // Not `namespace`, which is that of Kubernetes.
    labels.add_text("metric_namespace", &trigger.at("Namespace"));
    for dimension in trigger.at("Dimensions").list() {
        if let Some(name) = dimension.at("name").text() {
            labels.add_text(&name, &dimension.at("value"));
        }
    }
    labels.done()
}

fn status(node: &Node<'_>) -> Status {
    match node.text().as_deref() {
        Some("ALARM" | "INSUFFICIENT_DATA") => Status::Firing,
        Some("OK") => Status::Resolved,
        _ => {
            node.unknown(Status::Firing.as_str());
            Status::Firing
        }
    }
}
