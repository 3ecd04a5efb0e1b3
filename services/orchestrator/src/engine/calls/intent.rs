//! What a model says of a call beside what the tool takes: why it is made again, and what it is meant to do.

use serde_json::Value;
use tarsy_contracts::action::{ActionPlan, DryRun};
use tarsy_domain::id::ActionId;
use tarsy_llm::{ToolCall, Unmasked};
use tarsy_store::Approver;

use crate::engine::action;
use crate::engine::calls::result::requested;
use crate::engine::tools::{Requested, Tools};

/// The argument by which a model gives its reason for a call to be made again.
const AGAIN: &str = "_again";

/// What a call is meant to do; the error is for the model.
pub(super) type Planned = Result<ActionPlan, String>;

/// What a model writes of a call beside its arguments.
#[derive(Clone, Debug, Default)]
pub(super) struct Intent {
    /// Why it is made once more.
    pub(super) again: Option<String>,
    pub(super) plan: Option<Planned>,
    /// The rollback that it is, with who asked for it.
    pub(super) rollback: Option<(ActionId, Approver)>,
    pub(super) dry_run: Option<DryRun>,
}

impl Intent {
    /// Of a call that checks something: it is made whether the same was read before or not.
    pub(super) fn check(why: String) -> Self {
        Self { again: Some(why), ..Self::default() }
    }
}

/// A call without what a model says of it. An argument of such a name which the tool itself has is its own.
pub(super) fn separated(call: &ToolCall, tools: &Tools, acts: bool) -> (ToolCall, Intent) {
    let (call, again) = without(call, tools, AGAIN);
    let again = again.and_then(|value| Some(value.as_str()?.trim().to_owned()));
    let again = again.filter(|text| !text.is_empty());
    if !acts {
        return (call, Intent { again, ..Intent::default() });
    }
    let whole = call.unmasked.clone();
    let (call, intent) = without(&call, tools, action::FIELD);
    let plan = intent.map(|intent| {
        // What a person reads is masked, and what is stored: a check would be made with the mask.
        let hides = match &whole {
            Unmasked::Kept(text) => {
                removed(text, action::FIELD).is_none_or(|(_, own)| own != intent)
            }
            _ => false,
        };
        if hides {
            return Err(format!("`{}` has a secret; leave it out", action::FIELD));
        }
        action::read(&intent)
    });
    (call, Intent { again, plan, ..Intent::default() })
}

fn without(call: &ToolCall, tools: &Tools, name: &str) -> (ToolCall, Option<Value>) {
    let none = || (call.clone(), None);
    if !call.arguments.contains(name) {
        return none();
    }
    let Requested { server, name: tool, .. } = requested(call);
    let list = tools.list();
    let tool = list.iter().find(|one| one.server == server && one.name == tool);
    let is_own = tool.is_some_and(|tool| {
        tool.input_schema.get("properties").is_some_and(|members| members.get(name).is_some())
    });
    let Some((arguments, intent)) = removed(&call.arguments, name).filter(|_| !is_own) else {
        return none();
    };
    let unmasked = match &call.unmasked {
        Unmasked::Kept(text) => {
            removed(text, name).map_or_else(Unmasked::default, |(text, _)| Unmasked::Kept(text))
        }
        other => other.clone(),
    };
    (ToolCall { arguments, unmasked, ..call.clone() }, Some(intent))
}

fn removed(arguments: &str, name: &str) -> Option<(String, Value)> {
    let mut value: Value = serde_json::from_str(arguments).ok()?;
    let intent = value.as_object_mut()?.remove(name)?;
    Some((value.to_string(), intent))
}
