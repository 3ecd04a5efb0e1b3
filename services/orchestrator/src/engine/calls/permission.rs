//! Whether a call may be made: by its tool, by its arguments, and by what the session has read.

use tarsy_domain::event::TimelineKind;
use tarsy_domain::status::SessionOrigin;
use tarsy_llm::ToolCall;
use tokio::sync::OnceCell;

use crate::engine::admission::Admission;
use crate::engine::calls::intent::Planned;
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
        plan: Option<&Planned>,
    ) -> Result<(Admission, Option<String>), StopReason> {
        let (admission, definition) = self.tools.admission(requested(call));
        // A replay executes nothing.
        let is_replay = self.task.plan.session.origin == SessionOrigin::Replay;
        if let Some(action) = self.task.spec.action.filter(|_| !is_replay)
            && (plan.is_some() || !self.tools.reads(requested(call)))
        {
            return Ok((
                of_action(admission, definition.is_some(), action.enabled, plan),
                definition,
            ));
        }
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

/// What becomes of a call of an agent of type `action` that is not known to read: a person approves each, whatever the policy
/// of its server is, and reads what it is meant to do.
fn of_action(
    admission: Admission,
    is_listed: bool,
    is_enabled: bool,
    plan: Option<&Planned>,
) -> Admission {
    let reason = match admission {
        Admission::Withheld(_) => return admission,
        _ if !is_enabled => {
            let why =
                "the remediation of this chain is off, and the tool is not known to only read";
            return Admission::Withheld(why.to_owned());
        }
        _ if !is_listed => {
            return Admission::Withheld("the tool is not in the list of its server".to_owned());
        }
        Admission::Approval(reason) => reason,
        _ => "the agent means to change something with it".to_owned(),
    };
    match plan {
        None => Admission::Unplanned("it does not say what it is meant to do".to_owned()),
        Some(Err(problem)) => Admission::Unplanned(problem.clone()),
        Some(Ok(_)) => Admission::Approval(reason),
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

#[cfg(test)]
mod tests {
    use tarsy_contracts::action::ActionPlan;

    use super::*;

    #[test]
    fn a_call_that_may_change_something_needs_its_plan_and_a_person_whatever_the_policy_is() {
        let plan: Planned =
            Ok(ActionPlan { effect: "more".to_owned(), check: None, rollback: None });
        let wrong: Planned = Err("it lacks a check".to_owned());
        let asked = Admission::Approval("it changes something".to_owned());
        for admission in [Admission::Run, Admission::Reads, asked] {
            let of = |is_listed, is_enabled, plan| {
                of_action(admission.clone(), is_listed, is_enabled, plan)
            };
            assert!(matches!(of(true, true, Some(&plan)), Admission::Approval(_)), "{admission:?}");
            assert!(matches!(of(true, true, Some(&wrong)), Admission::Unplanned(_)));
            assert!(matches!(of(true, true, None), Admission::Unplanned(_)));
            assert!(matches!(of(true, false, Some(&plan)), Admission::Withheld(_)), "off");
            assert!(matches!(of(false, true, Some(&plan)), Admission::Withheld(_)), "not listed");
        }
        let withheld = Admission::Withheld("it is new".to_owned());
        assert_eq!(of_action(withheld.clone(), true, true, Some(&plan)), withheld);
    }
}
