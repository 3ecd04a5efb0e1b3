//! Which tools of a server may be called: what the operator and the caller allow, both.

use std::collections::BTreeSet;

use tarsy_catalog::ToolPolicy;
use tarsy_contracts::mcp::Tool;

/// Why a tool may not be called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refused<'a> {
    /// The operator denies it, by this glob.
    Denied(&'a str),
    /// The operator allows others only.
    NotAllowed,
    /// The operator wants tools that change nothing, and its server does not say so of it.
    NotReadOnly,
    /// It is not among the tools that the caller may use.
    NotGranted,
}

impl Refused<'_> {
    /// The refusal in words for a model and a person.
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
            "The tool '{name}' was not called: {why}. Do not try it again; use another tool, or say \
             what could not be done."
        )
    }
}

/// Why a tool may not be called under an operator's policy and a caller's grant; none if it may.
pub(crate) fn refusal<'a>(
    policy: &'a ToolPolicy,
    granted: Option<&BTreeSet<String>>,
    tool: &Tool,
) -> Option<Refused<'a>> {
    let named = |globs: &'a [String]| globs.iter().find(|glob| matches(glob, &tool.name));
    if let Some(glob) = named(&policy.deny) {
        return Some(Refused::Denied(glob));
    }
    if !policy.allow.is_empty() && named(&policy.allow).is_none() {
        return Some(Refused::NotAllowed);
    }
    if policy.require_read_only && !tool.read_only {
        return Some(Refused::NotReadOnly);
    }
    granted.is_some_and(|names| !names.contains(&tool.name)).then_some(Refused::NotGranted)
}

/// Whether a glob of `*` and `?` matches a whole name.
fn matches(glob: &str, name: &str) -> bool {
    let (glob, name): (Vec<char>, Vec<char>) = (glob.chars().collect(), name.chars().collect());
    let (mut at, mut read) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while let Some(letter) = name.get(read) {
        match glob.get(at) {
            Some('*') => {
                star = Some((at, read));
                at += 1;
            }
            Some(wanted) if *wanted == '?' || wanted == letter => {
                at += 1;
                read += 1;
            }
            _ => {
                let Some((star_at, from)) = star else { return false };
                star = Some((star_at, from + 1));
                at = star_at + 1;
                read = from + 1;
            }
        }
    }
    glob.get(at..).is_none_or(|rest| rest.iter().all(|letter| *letter == '*'))
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
    fn what_is_denied_is_refused_even_if_it_is_allowed() {
        let policy = ToolPolicy {
            allow: vec!["pods_*".to_owned()],
            deny: vec!["*_delete".to_owned()],
            require_read_only: false,
        };
        assert_eq!(refusal(&policy, None, &tool("pods_list", false)), None);
        let denied = refusal(&policy, None, &tool("pods_delete", false));
        assert_eq!(denied, Some(Refused::Denied("*_delete")));
        let other = refusal(&policy, None, &tool("nodes_list", false));
        assert_eq!(other, Some(Refused::NotAllowed));
    }

    #[test]
    fn a_grant_narrows_and_a_read_only_policy_wants_the_annotation() {
        let policy = ToolPolicy { require_read_only: true, ..ToolPolicy::default() };
        let granted = BTreeSet::from(["a".to_owned()]);
        assert_eq!(refusal(&policy, Some(&granted), &tool("a", true)), None);
        let other = refusal(&policy, Some(&granted), &tool("b", true));
        assert_eq!(other, Some(Refused::NotGranted));
        let writes = refusal(&policy, None, &tool("a", false));
        assert_eq!(writes, Some(Refused::NotReadOnly));
    }

    #[test]
    fn a_refusal_names_the_tool_the_server_and_the_rule() {
        let told = Refused::Denied("*_delete").explain(&tool("pods_delete", false));
        assert!(told.contains("'s.pods_delete'") && told.contains("'*_delete'"), "{told}");
    }
}
