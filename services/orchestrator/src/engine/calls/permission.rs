//! Whether a call may be made: by its tool, by its arguments, and by what the session has read.

use tarsy_domain::event::TimelineKind;
use tarsy_domain::status::SessionOrigin;
use tarsy_llm::ToolCall;
use tokio::sync::OnceCell;

use crate::engine::admission::Admission;
use crate::engine::calls::result::requested;
use crate::engine::context::Context;
use crate::engine::injected;
use crate::engine::task::AgentTask;
use crate::engine::tools::Tools;
use crate::journal::StopReason;

/// Decides about the calls of one agent.
pub(super) struct Permission<'a> {
    ctx: &'a Context,
    task: &'a AgentTask<'a>,
    tools: &'a Tools,
    /// Whether the alert addresses a model, once that was looked at.
    alert_is_marked: OnceCell<bool>,
}

impl<'a> Permission<'a> {
    pub(super) fn new(ctx: &'a Context, task: &'a AgentTask<'a>, tools: &'a Tools) -> Self {
        Self { ctx, task, tools, alert_is_marked: OnceCell::new() }
    }

    /// Whether a call may be made, and the tool's definition. Once a result of the session, or its alert, addressed a model,
    /// whatever is not read-only needs an approval, also at servers that need none otherwise.
    pub(super) async fn admission(
        &self,
        call: &ToolCall,
    ) -> Result<(Admission, Option<String>), StopReason> {
        let (admission, definition) = self.tools.admission(requested(call));
        // A replay executes nothing.
        let is_replay = self.task.plan.session.origin == SessionOrigin::Replay;
        if admission != Admission::Run || is_replay || self.tools.reads(requested(call)) {
            return Ok((admission, definition));
        }
        let journal = &self.ctx.journal;
        let (session, kind) = (journal.session(), TimelineKind::InjectedInstructions);
        let source = match journal.read(|store| store.find_injected_call(session)).await? {
            Some(number) => format!("the result of [call {number}]"),
            None if self.alert_addresses_model().await => "the alert".to_owned(),
            None if journal.read(|store| store.has_session_event(session, kind)).await? => {
                "a later alert".to_owned()
            }
            None => return Ok((admission, definition)),
        };
        Ok((after_injection(&source, definition.is_some()), definition))
    }

    async fn alert_addresses_model(&self) -> bool {
        *self.alert_is_marked.get_or_init(|| injected::is_in_alert(self.task.plan.session)).await
    }
}

/// What becomes of a call that would run, after `source` addressed a model. The approval of a tool that is not listed could
/// not say what it approves.
fn after_injection(source: &str, is_listed: bool) -> Admission {
    if is_listed {
        Admission::Approval(format!(
            "{source} contains text that is addressed to a model, and the tool is not known to be read-only"
        ))
    } else {
        Admission::Withheld(format!(
            "{source} contains text that is addressed to a model, and the tool is not in the list of its server"
        ))
    }
}
