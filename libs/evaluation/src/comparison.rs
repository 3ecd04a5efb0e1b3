//! Two investigations beside each other.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tarsy_contracts::recording::{RecordedCall, RecordedReport, RecordedUsage, Recording};
use tarsy_domain::id::SessionId;
use utoipa::ToSchema;

use crate::grounding::{Grounding, grounding};

/// Two investigations beside each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = ComparisonView)]
pub struct Comparison {
    pub first: Side,
    pub second: Side,
    /// Both made the same calls in the same order.
    pub same_calls: bool,
    /// The results of all calls that both made are the same, byte by byte.
    pub same_results: bool,
    /// The final analyses are the same, byte by byte.
    pub same_report: bool,
    /// Calls that one of the two made more often than the other.
    pub differences: Vec<CallDifference>,
}

/// One of two investigations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = ComparisonSideView)]
pub struct Side {
    #[schema(value_type = Uuid)]
    pub session_id: SessionId,
    /// How it ended, and what it found.
    pub report: RecordedReport,
    pub tool_calls: u32,
    /// Calls that failed, or that the record of the original does not have.
    pub failed_tool_calls: u32,
    pub claims: Grounding,
    pub usage: RecordedUsage,
}

/// A call that one investigation made more often than the other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = CallDifferenceView)]
pub struct CallDifference {
    pub server: String,
    pub tool: String,
    #[schema(value_type = Object)]
    pub arguments: Value,
    /// How often the first one made it.
    pub first: u32,
    /// How often the second one made it.
    pub second: u32,
}

/// Compares two investigations.
pub fn compare(first: &Recording, second: &Recording) -> Comparison {
    let keys = |side: &Recording| side.calls.iter().map(key).collect::<Vec<_>>();
    Comparison {
        same_calls: keys(first) == keys(second),
        same_results: results_agree(first, second),
        same_report: first.report.final_analysis == second.report.final_analysis,
        differences: differences(first, second),
        first: side(first),
        second: side(second),
    }
}

fn side(recording: &Recording) -> Side {
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let failed = recording.calls.iter().filter(|call| call.status.as_str() != "completed");
    Side {
        session_id: recording.session_id,
        report: recording.report.clone(),
        tool_calls: count(recording.calls.len()),
        failed_tool_calls: count(failed.count()),
        claims: grounding(recording),
        usage: recording.usage.clone(),
    }
}

/// Server, tool and arguments with their keys in order.
fn key(call: &RecordedCall) -> (String, String, String) {
    let mut arguments = call.arguments.clone();
    arguments.sort_all_objects();
    (call.server.clone(), call.tool.clone(), arguments.to_string())
}

/// The n-th calls with the same key have the same result, as far as both made them.
fn results_agree(first: &Recording, second: &Recording) -> bool {
    let mut results: BTreeMap<_, Vec<&RecordedCall>> = BTreeMap::new();
    for call in &first.calls {
        results.entry(key(call)).or_default().push(call);
    }
    let mut seen: BTreeMap<_, usize> = BTreeMap::new();
    second.calls.iter().all(|call| {
        let place = seen.entry(key(call)).or_default();
        let other = results.get(&key(call)).and_then(|calls| calls.get(*place));
        *place += 1;
        other.is_none_or(|other| other.result == call.result && other.status == call.status)
    })
}

fn differences(first: &Recording, second: &Recording) -> Vec<CallDifference> {
    let mut counts: BTreeMap<_, CallDifference> = BTreeMap::new();
    for (recording, is_first) in [(first, true), (second, false)] {
        for call in &recording.calls {
            let one = counts.entry(key(call)).or_insert_with(|| CallDifference {
                server: call.server.clone(),
                tool: call.tool.clone(),
                arguments: call.arguments.clone(),
                first: 0,
                second: 0,
            });
            if is_first {
                one.first += 1;
            } else {
                one.second += 1;
            }
        }
    }
    counts.into_values().filter(|one| one.first != one.second).collect()
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use serde_json::json;
    use tarsy_contracts::alert::AlertFields;
    use tarsy_contracts::recording::RecordedAlert;
    use tarsy_domain::event::CallStatus;
    use tarsy_domain::status::SessionStatus;

    use super::*;

    fn call(number: i64, arguments: Value, result: &str) -> RecordedCall {
        RecordedCall {
            number,
            server: "host".to_owned(),
            tool: "disk".to_owned(),
            arguments,
            status: CallStatus::Completed,
            refused_by_policy: false,
            result: result.to_owned(),
        }
    }

    fn recording(calls: Vec<RecordedCall>, analysis: &str) -> Recording {
        Recording {
            session_id: SessionId::new(),
            alert: RecordedAlert {
                data: "disk".to_owned(),
                alert_type: None,
                received_at: Timestamp::UNIX_EPOCH,
                runbook_url: None,
                runbook: None,
                fields: AlertFields::default(),
                changes: Vec::new(),
                dependencies: Vec::new(),
            },
            chain: json!({}),
            servers: Vec::new(),
            calls,
            report: RecordedReport {
                status: SessionStatus::Completed,
                final_analysis: Some(analysis.to_owned()),
                executive_summary: None,
                error_message: None,
            },
            usage: RecordedUsage::default(),
        }
    }

    #[test]
    fn the_order_of_keys_is_no_difference_and_the_order_of_calls_is() {
        let one = call(1, json!({"a": 1, "b": 2}), "x");
        let same = call(1, json!({"b": 2, "a": 1}), "x");
        let other = call(2, json!({"a": 3}), "y");
        let first = recording(vec![one, other.clone()], "full [call 1]");
        let second = recording(vec![same.clone(), other.clone()], "full [call 1]");
        let compared = compare(&first, &second);
        assert!(compared.same_calls && compared.same_results && compared.same_report);
        assert!(compared.differences.is_empty());
        let swapped = recording(vec![other, same], "full");
        let compared = compare(&first, &swapped);
        assert!(!compared.same_calls && compared.same_results && !compared.same_report);
    }

    #[test]
    fn a_call_that_only_one_made_and_another_result_are_differences() {
        let first = recording(vec![call(1, json!({}), "x"), call(2, json!({}), "y")], "a");
        let second = recording(vec![call(1, json!({}), "z")], "a");
        let compared = compare(&first, &second);
        assert!(!compared.same_results);
        assert_eq!(compared.differences.len(), 1);
        assert_eq!((compared.differences[0].first, compared.differences[0].second), (2, 1));
    }

    #[test]
    fn claims_are_checked_against_the_calls_of_their_own_side() {
        let calls = vec![call(
            1,
            json!({}),
            "Filesystem Size Used Avail Use% Mounted on\n/dev/a 10G 9G 1G 90% /var",
        )];
        let grounded = grounding(&recording(calls.clone(), "`/var` is at 90 % [call 1]."));
        assert!(grounded.claims > 0 && grounded.supported == grounded.claims, "{grounded:?}");
        let ghost = grounding(&recording(calls, "It is full [call 7]."));
        assert_eq!(ghost.ghost_citations, 1);
    }
}
