//! The alert's own statement, looked at with one result.

use jiff::Timestamp;
use tarsy_analyst::{CallRecord, Next, Transcript};
use tarsy_domain::verdict::AlertStatement;

/// The longest result that is read, in bytes.
const MAX_RESULT: usize = 1 << 18;

/// What became of an alert's statement by this result alone, with a sentence; none if the result does not show what the alert
/// is about.
pub(crate) fn statement(
    alert: &str,
    received_at: Timestamp,
    call: CallRecord,
) -> Option<(AlertStatement, String)> {
    if call.failed || call.text.len() > MAX_RESULT {
        return None;
    }
    let transcript = Transcript {
        alert: alert.to_owned(),
        received_at: Some(received_at),
        calls: vec![call],
        ..Transcript::default()
    };
    let Next::Conclude(report) = tarsy_analyst::next(&transcript) else { return None };
    let (statement, answer) = (report.recorded.alert_statement, report.recorded.answer);
    (statement != AlertStatement::NotVisible).then_some((statement, answer))
}

/// Whether a result by itself shows that what the alert states is so.
pub(crate) fn states(alert: &str, received_at: Timestamp, call: CallRecord) -> bool {
    let found = statement(alert, received_at, call);
    found.is_some_and(|(statement, _)| statement == AlertStatement::Confirmed)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn disk(used: u32) -> CallRecord {
        CallRecord {
            number: 1,
            tool: "host.disk_usage".to_owned(),
            arguments: json!({}),
            text: format!(
                "Filesystem Type Size Used Avail Use% Mounted on\n/dev/sda1 ext4 100G {used}G {}G {used}% /var\n",
                100 - used
            ),
            failed: false,
        }
    }

    #[test]
    fn what_an_alert_states_is_looked_at_with_one_result() {
        let alert = "The filesystem /var is over 90% full";
        let at = "2026-02-11T08:00:00Z".parse().unwrap();
        assert!(states(alert, at, disk(97)));
        let after = statement(alert, at, disk(40));
        assert_eq!(after.unwrap().0, AlertStatement::NotConfirmed);
        let failed = CallRecord { failed: true, ..disk(97) };
        assert_eq!(statement(alert, at, failed), None);
        let other = CallRecord { text: "ok".to_owned(), ..disk(97) };
        assert!(!states(alert, at, other));
    }
}
