//! The values over time that a verdict rests on, read from the results that it cites: for rules and for models alike.

use serde_json::Value;
use tarsy_domain::event::CallStatus;
use tarsy_domain::verdict::Verdict;
use tarsy_store::CallResult;

/// The most results that charts are read from, in bytes.
pub(super) const MAX_RESULTS_BYTES: i64 = 8 * 1024 * 1024;

/// The numbers of the calls that the cause rests on.
pub(super) fn cited(verdict: &Verdict) -> Vec<i64> {
    let mut numbers: Vec<i64> = verdict.evidence.iter().map(|one| one.call.into()).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// Adds the charts of a verdict that states a cause.
pub(super) fn draw(verdict: &mut Verdict, calls: &[CallResult]) {
    if !verdict.states_cause() {
        return;
    }
    let cited = cited(verdict);
    let cited = calls.iter().filter(|call| cited.contains(&call.number));
    let calls: Vec<_> = cited.filter_map(record).collect();
    verdict.charts = tarsy_analyst::charts(&verdict.cause, &verdict.evidence, &calls);
}

/// None for a number that no verdict can name.
fn record(call: &CallResult) -> Option<tarsy_analyst::CallRecord> {
    Some(tarsy_analyst::CallRecord {
        number: u32::try_from(call.number).ok()?,
        tool: format!("{}.{}", call.server_name, call.tool_name.as_deref().unwrap_or_default()),
        arguments: call.arguments.clone().unwrap_or(Value::Null),
        text: call.text.clone(),
        failed: call.status != CallStatus::Completed,
    })
}
