//! Sessions that are not over, for those who wait for the end of all.

use serde_json::Value;
use tarsy_e2e::Stack;

/// Each session that runs or waits, as `ID of chain CHAIN`.
pub(crate) async fn unfinished(stack: &Stack) -> anyhow::Result<Vec<String>> {
    let sessions = stack.get("/api/v1/sessions/active").await?;
    let lists = ["active", "queued"].map(|name| sessions.get(name));
    let sessions = lists.into_iter().flatten().filter_map(Value::as_array).flatten();
    let text = |session: &Value, key| {
        session.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let named = |session| format!("{} of chain {}", text(session, "id"), text(session, "chain_id"));
    Ok(sessions.map(named).collect())
}
