//! The call that takes an action back, which a person asked for.

use tarsy_contracts::action::{ActionCheck, ActionPlan};
use tarsy_domain::event::CallStatus;
use tarsy_llm::ToolCall;
use tarsy_store::RollbackTurn;

use crate::engine::calls::Caller;
use crate::engine::calls::intent::Intent;
use crate::engine::calls::result::end_call;
use crate::journal::StopReason;

impl Caller<'_> {
    /// Takes an action back by the call that its agent gave, and checks that; what became of it, or why it was not done.
    pub(crate) async fn roll_back(
        &self,
        turn: &RollbackTurn,
    ) -> Result<Result<String, String>, StopReason> {
        let action = &turn.action;
        let number = action.call_number.unwrap_or_default();
        let Some(rollback) = &action.plan.rollback else {
            return Ok(Err(format!("[call {number}] has no rollback")));
        };
        let name = rollback.call.full_name();
        let call = ToolCall {
            id: format!("tarsy-rollback-{number}"),
            name: name.clone(),
            arguments: rollback.call.arguments.to_string(),
            ..ToolCall::default()
        };
        let mut call_id = self.executor.find_ended(&call).map(|ended| ended.call_id);
        if call_id.is_none() {
            let (server, tool) = (&rollback.call.server_name, &rollback.call.tool_name);
            let is_known =
                turn.definition.is_some() && self.tools.definition(server, tool) == turn.definition;
            if !is_known && !self.executor.is_stored(&call.id) {
                return Ok(Err(format!(
                    "{name} is not the tool any more that it was when the rollback was planned"
                )));
            }
            let intent = Intent {
                plan: Some(Ok(plan(turn, number))),
                rollback: Some((action.id, turn.by.clone())),
                ..Intent::default()
            };
            let Some((recorded, result)) = self.executor.run(&call, intent).await? else {
                return Ok(Err("the budget has no tool call left".to_owned()));
            };
            if !self.executor.is_action(recorded.call_id) {
                let why = result.text.clone();
                self.ctx.journal.commit(end_call(self.task.scope(), recorded, result)).await?;
                return Ok(Err(why));
            }
            call_id = Some(recorded.call_id);
            self.end_action((recorded, result)).await?;
        }
        let stored = match call_id {
            Some(id) => self.stored(id).await?,
            None => None,
        };
        let Some(stored) = stored else { return Ok(Err(format!("{name} is not stored"))) };
        let Some(became) = self.outcome(&stored).await? else {
            return Ok(Err(stored.error_message.unwrap_or_default()));
        };
        let made = match stored.status {
            CallStatus::Completed => "was made",
            CallStatus::Failed => "failed",
            CallStatus::Started | CallStatus::Unknown => "may have been made",
        };
        Ok(Ok(format!(
            "The rollback of [call {number}] {made} as [call {}]: {name}. {became}",
            stored.call_number
        )))
    }
}

/// What a rollback is meant to do: the check of what it takes back shows whether it did.
fn plan(turn: &RollbackTurn, number: i64) -> ActionPlan {
    let of = &turn.action.plan;
    let expected = of.rollback.as_ref().and_then(|rollback| rollback.expected.clone());
    let check = of.check.as_ref().zip(expected);
    ActionPlan {
        effect: format!("takes back [call {number}]: {}", of.effect),
        check: check.map(|(check, expected)| ActionCheck { call: check.call.clone(), expected }),
        rollback: None,
    }
}
