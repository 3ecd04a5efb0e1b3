//! Notifications of AWS Budgets through SNS, which are text with a line for each fact: "Creating an Amazon SNS topic for budget
//! notifications", <https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-sns-policy.html>.

use serde_json::Value;

use crate::alert::Draft;
use crate::fingerprint::digest;
use crate::json::Node;
use crate::labels::Labels;
use crate::notes::Notes;

const BEGINS: &str = "AWS Budget Notification";
const NAME: &str = "Budget Name";
const ACCOUNT: &str = "AWS Account ";

pub(super) fn is_notification(text: &str) -> bool {
    text.starts_with(BEGINS) && fact(text, NAME).is_some()
}

/// One threshold of one budget is one alert; the amount that was spent is not part of it.
pub(super) fn notification(text: &str, topic: &str, notes: Notes) -> Draft {
    let value = Value::String(text.to_owned());
    let root = Node::named(Some(&value), "/Message".to_owned(), notes);
    let account = text.lines().find_map(|line| line.strip_prefix(ACCOUNT)).unwrap_or_default();
    let [name, kind, threshold] =
        [NAME, "Alert Type", "Alert Threshold"].map(|name| fact(text, name));
    let name = name.unwrap_or_default();
    let (kind, threshold) = (kind.unwrap_or_default(), threshold.unwrap_or_default());
    let amount = fact(text, &format!("{kind} Amount"));
    let mut labels = Labels::default();
    for (label, value) in [
        ("budget", Some(name)),
        ("account", Some(account.trim())),
        ("budget_type", fact(text, "Budget Type")),
        ("amount_type", Some(kind)),
        ("threshold", Some(threshold)),
    ] {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            labels.add(label, value);
        }
    }
    let amount = amount.map(|amount| format!(" {amount}")).unwrap_or_default();
    let title = format!("Budget {name}: {} amount{amount} ({threshold})", kind.to_lowercase());
    let annotation = root.annotation();
    Draft {
        title: Some(title),
        labels: labels.done(),
        annotations: annotation.map(|text| ("message".to_owned(), text)).into_iter().collect(),
        fingerprint: Some(digest([topic, account, name, kind, threshold])),
        group_key: Some(format!("budget:{account}/{name}")),
        notes: root.notes(),
        raw: root.raw(),
        ..Draft::default()
    }
}

/// What stands after a name and a colon.
fn fact<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let mut lines = text.lines();
    lines.find_map(|line| Some(line.trim().strip_prefix(name)?.strip_prefix(':')?.trim()))
}
