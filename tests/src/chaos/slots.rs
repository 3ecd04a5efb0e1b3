//! Whether the orchestrators have all of their slots after all that went wrong: as many sessions as they may work on are in
//! progress at the same time.

use std::time::Duration;

use anyhow::ensure;
use tarsy_testkit::Seen;

use crate::chaos::script::SLOT;
use crate::model::Gate;
use crate::stack::Stack;

/// How many sessions each of the two orchestrators works on.
pub(super) const WORKERS: u8 = 2;
/// How many that are in all, which is also the most that may be in progress.
const SLOTS: usize = 2 * WORKERS as usize;
/// How long sessions may wait for a slot that is there.
const TAKEN: Duration = Duration::from_mins(1);
/// How long they may take then.
const ENDED: Duration = Duration::from_mins(2);

/// How many slots are missing.
pub(super) async fn lost(stack: &Stack, gate: &Gate) -> anyhow::Result<usize> {
    let mut sessions = Vec::with_capacity(SLOTS);
    for number in 1..=SLOTS {
        sessions.push(stack.submit("slots", &format!("{SLOT}, number {number}")).await?);
    }
    let taken = async |stack: &Stack| Ok(Seen::equal(stack.model()?.open(), SLOTS));
    let all = stack.wait_until("every slot has a session", TAKEN, taken).await;
    let lost = SLOTS.saturating_sub(stack.model()?.open());
    gate.open();
    for session in sessions {
        let ended = async |stack: &Stack| {
            let status = stack.get(&format!("/api/v1/sessions/{session}/status")).await?;
            Ok(status["status"] == "completed")
        };
        stack.wait_until("the session with a slot completes", ENDED, ended).await?;
    }
    ensure!(lost > 0 || all.is_ok(), "slots were taken and given back: {all:?}");
    Ok(lost)
}
