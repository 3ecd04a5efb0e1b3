//! Which tools of a server may be called: those that both the operator's policy and the grant allow.

use std::collections::BTreeSet;

use tarsy_catalog::ToolPolicy;
use tarsy_contracts::mcp::{Requirement, Tool};
use wildmatch::WildMatch;

/// Why a tool may not be called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refused<'a> {
    /// The policy denies it by this glob.
    Denied(&'a str),
    /// The policy's list of allowed tools does not contain it.
    NotAllowed,
    /// The policy requires tools that are annotated as read-only.
    NotReadOnly,
    /// The lease's grant does not contain it.
    NotGranted,
}

impl Refused<'_> {
    /// The message for a model and a person.
    pub(crate) fn explain(self, tool: &Tool) -> String {
        let (name, server) = (tool.full_name(), &tool.server);
        let why = match self {
            Self::Denied(glob) => format!("the policy of the server '{server}' denies '{glob}'"),
            Self::NotAllowed => {
                format!(
                    "the policy of the server '{server}' does not list it among the allowed tools"
                )
            }
            Self::NotReadOnly => format!(
                "the policy of the server '{server}' allows only tools that are annotated as read-only"
            ),
            Self::NotGranted => "it was not selected for this investigation".to_owned(),
        };
        format!(
            "The tool '{name}' was not called: {why}. Do not retry it; use another tool, or report \
             what could not be done."
        )
    }
}

/// Why a tool may not be called under a policy and a grant; none if it may. Without a grant the policy
/// alone decides.
pub(crate) fn refusal<'a>(
    policy: &'a ToolPolicy,
    granted: Option<&BTreeSet<String>>,
    tool: &Tool,
) -> Option<Refused<'a>> {
    let named = |globs: &'a [String]| matching(globs, &tool.name);
    if let Some(glob) = named(&policy.deny) {
        return Some(Refused::Denied(glob));
    }
    if !policy.allow.is_empty() && named(&policy.allow).is_none() {
        return Some(Refused::NotAllowed);
    }
    let is_listed = matching(&policy.read_only, &tool.name).is_some();
    if policy.require_read_only && !(tool.read_only || is_listed) {
        return Some(Refused::NotReadOnly);
    }
    granted.is_some_and(|names| !names.contains(&tool.name)).then_some(Refused::NotGranted)
}

/// Why a call lacks what the terms of its tool require; none if it may be made.
pub(crate) fn missing_permit(tool: &Tool, permit: Option<&str>) -> Option<String> {
    let terms = &tool.terms;
    let needed = match terms.requirement {
        Requirement::None => return None,
        _ if permit == Some(terms.definition.as_str()) => return None,
        _ if permit.is_some() => "its definition has changed since the call was permitted",
        Requirement::Acceptance => {
            "nobody has accepted it: an operator accepts the tools of its server with `tarsy mcp accept`"
        }
        Requirement::Approval => "it may change something, and nobody has approved this call",
    };
    let name = tool.full_name();
    Some(format!(
        "The tool '{name}' was not called: {needed} ({}). Do not retry it; use another tool, or report what \
         could not be done.",
        terms.reason
    ))
}

/// The first of these globs that matches a name.
pub(crate) fn matching<'a>(globs: &'a [String], name: &str) -> Option<&'a str> {
    globs.iter().find(|glob| matches(glob, name)).map(String::as_str)
}

/// Whether a glob of `*` and `?` matches a whole name.
fn matches(glob: &str, name: &str) -> bool {
    WildMatch::new(glob).matches(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn tool(name: &str, read_only: bool) -> Tool {
        Tool {
            server: "s".to_owned(),
            name: name.to_owned(),
            description: String::new(),
            input_schema: json!({}),
            read_only,
            idempotent: false,
            terms: tarsy_contracts::mcp::ToolTerms::default(),
        }
    }

    #[test]
    fn globs_match_whole_names() {
        assert!(matches("pods_*", "pods_list"));
        assert!(matches("*", ""));
        assert!(matches("p?ds_*_all", "pods_list_of_all"));
        assert!(!matches("pods", "pods_list"));
        assert!(!matches("*_delete", "pods_list"));
        assert!(matches("*a*b", "xaxbxaxb"));
    }

    #[test]
    fn a_denied_tool_is_refused_even_if_it_is_allowed() {
        let policy = ToolPolicy {
            allow: vec!["pods_*".to_owned()],
            deny: vec!["*_delete".to_owned()],
            ..ToolPolicy::default()
        };
        assert_eq!(refusal(&policy, None, &tool("pods_list", false)), None);
        let denied = refusal(&policy, None, &tool("pods_delete", false));
        assert_eq!(denied, Some(Refused::Denied("*_delete")));
        let other = refusal(&policy, None, &tool("nodes_list", false));
        assert_eq!(other, Some(Refused::NotAllowed));
    }

    #[test]
    fn a_grant_restricts_tools_and_a_read_only_policy_requires_the_annotation() {
        let policy = ToolPolicy { require_read_only: true, ..ToolPolicy::default() };
        let granted = BTreeSet::from(["a".to_owned()]);
        assert_eq!(refusal(&policy, Some(&granted), &tool("a", true)), None);
        let other = refusal(&policy, Some(&granted), &tool("b", true));
        assert_eq!(other, Some(Refused::NotGranted));
        let writes = refusal(&policy, None, &tool("a", false));
        assert_eq!(writes, Some(Refused::NotReadOnly));
    }

    #[test]
    fn a_refusal_contains_the_tool_the_server_and_the_rule() {
        let message = Refused::Denied("*_delete").explain(&tool("pods_delete", false));
        assert!(message.contains("'s.pods_delete'") && message.contains("'*_delete'"), "{message}");
    }
}
