//! The offline analyst gathers the evidence of a model that called no tool, and the model concludes from its report.

use serde_json::json;
use tarsy_domain::event::{Role, TimelineKind};
use tarsy_domain::id::TimelineEventId;
use tarsy_llm::Message;
use tarsy_store::Op;

use super::TurnSink;
use crate::engine::claims::{self, NewText};
use crate::engine::look;
use crate::engine::next::{ToolCalling, conclusion};
use crate::journal::StopReason;

impl TurnSink<'_> {
    /// Gives the next turns to the offline analyst.
    pub(super) fn begin_gathering(&mut self) -> Vec<Op> {
        let from = self.conversation.provider(self.task.spec).name.clone();
        let text = self.ctx.services.prompts.gathering();
        let mut ops: Vec<Op> = self.conversation.begin_gathering(text.clone()).into();
        let to = &self.conversation.provider(self.task.spec).name;
        let reason = "the model concluded twice without a call of a tool";
        let metadata = json!({ "from": from, "to": to, "reason": reason });
        let scope = self.task.scope();
        ops.push(scope.event_with(TimelineKind::ProviderFallback, text, Some(metadata)));
        ops
    }

    /// Asks the model to conclude from the analyst's report. If no tool answered the analyst either, the model's conclusion
    /// stands.
    pub(super) async fn gathered(&mut self, report: String) -> Result<Vec<Op>, StopReason> {
        let (ctx, task) = (self.ctx, self.task);
        let mut ops: Vec<Op> = self.conversation.end_gathering().into_iter().collect();
        let guess = conclusion(self.conversation, ToolCalling::of(task)).unwrap_or_default();
        let event = TimelineEventId::new();
        let new = NewText { event, text: &guess, looked_up: &[] };
        let checked = claims::of_conclusion(ctx, task, self.conversation, new).await?;
        if checked.rests_on_nothing {
            let unseen = look::unseen(task, self.conversation, &self.usable, &checked);
            ops.extend(self.concluded((event, guess, None), checked, unseen));
            return Ok(ops);
        }
        let text = ctx.services.prompts.gathered(&report, task.is_react());
        ops.push(self.conversation.append(Message::new(Role::User, text)));
        Ok(ops)
    }
}
