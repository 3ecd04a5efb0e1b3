//! Which tools of a server may be called: what the operator and the caller allow, both.

use std::collections::BTreeSet;

use tarsy_catalog::ToolPolicy;
use tarsy_contracts::mcp::Tool;

/// Whether a tool may be called under an operator's policy and a caller's grant.
pub(crate) fn permits(
    policy: &ToolPolicy,
    granted: Option<&BTreeSet<String>>,
    tool: &Tool,
) -> bool {
    let named = |globs: &[String]| globs.iter().any(|glob| matches(glob, &tool.name));
    let allowed = policy.allow.is_empty() || named(&policy.allow);
    let harmless = tool.read_only || !policy.require_read_only;
    let granted = granted.is_none_or(|names| names.contains(&tool.name));
    allowed && harmless && granted && !named(&policy.deny)
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
        assert!(permits(&policy, None, &tool("pods_list", false)));
        assert!(!permits(&policy, None, &tool("pods_delete", false)));
        assert!(!permits(&policy, None, &tool("nodes_list", false)));
    }

    #[test]
    fn a_grant_narrows_and_a_read_only_policy_wants_the_annotation() {
        let policy = ToolPolicy { require_read_only: true, ..ToolPolicy::default() };
        let granted = BTreeSet::from(["a".to_owned()]);
        assert!(permits(&policy, Some(&granted), &tool("a", true)));
        assert!(!permits(&policy, Some(&granted), &tool("b", true)));
        assert!(!permits(&policy, None, &tool("a", false)));
    }
}
