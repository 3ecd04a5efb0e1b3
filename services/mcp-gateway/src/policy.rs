//! Which tools of a server may be called: those that both the operator's policy and the grant allow.

use std::collections::BTreeSet;

use serde_json::{Map, Value};
use tarsy_catalog::{PolicyMode, ToolPolicy};
use tarsy_contracts::judged::Decider;
use tarsy_contracts::mcp::{Requirement, Tool, ToolClass};
use tarsy_effects::{Declared, secret_word};
use wildmatch::WildMatch;

/// Why a tool may not be called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refused<'a> {
    /// The policy denies it by this glob.
    Denied(&'a str),
    /// The policy's list of allowed tools does not contain it.
    NotAllowed,
    /// The policy requires tools that are annotated as read-only, and whose names do not say otherwise.
    NotReadOnly,
    /// It returns secrets, by this word of its name, and the policy does not name it.
    Secret,
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
            Self::Secret => format!(
                "it returns secrets, and the policy of the server '{server}' does not name it"
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
    let is_annotated = tool.read_only && tool.terms.class != ToolClass::Write;
    if policy.require_read_only && !(is_annotated || is_listed) {
        return Some(Refused::NotReadOnly);
    }
    if policy.mode == PolicyMode::Enforce
        && secret_word(&tool.name).is_some()
        && !names_secret(policy, &tool.name)
    {
        return Some(Refused::Secret);
    }
    granted.is_some_and(|names| !names.contains(&tool.name)).then_some(Refused::NotGranted)
}

/// Whether the operator names a tool that returns secrets: by its whole name, or by a glob that has such a word.
fn names_secret(policy: &ToolPolicy, name: &str) -> bool {
    let lists = [&policy.allow, &policy.read_only, &policy.write];
    lists
        .into_iter()
        .flatten()
        .any(|glob| glob == name || (matches(glob, name) && secret_word(glob).is_some()))
}

/// Why a call lacks what the terms of its tool require; none if it may be made.
pub(crate) fn missing_permit(
    tool: &Tool,
    permit: Option<&str>,
    arguments: &Map<String, Value>,
) -> Option<String> {
    let terms = &tool.terms;
    let needed = match terms.requirement {
        Requirement::None => return None,
        _ if terms.is_dry_run(arguments) => return None,
        _ if permit == Some(terms.definition.as_str()) => return None,
        _ if permit.is_some() => {
            "its definition has changed since the call was permitted".to_owned()
        }
        Requirement::Acceptance => {
            "nobody has accepted it: an operator accepts the tools of its server with \
             `tarsy mcp accept`"
                .to_owned()
        }
        Requirement::Approval if terms.judged.is_empty() => {
            "it may change something, and nobody has approved this call".to_owned()
        }
        Requirement::Approval => {
            let why = tarsy_effects::doubt(&terms.judged, arguments)?;
            format!("the call may change something ({why}), and nobody has approved it")
        }
    };
    let name = tool.full_name();
    Some(format!(
        "The tool '{name}' was not called: {needed} ({}). Do not retry it; use another tool, or report what \
         could not be done.",
        terms.reason
    ))
}

/// Why a call has arguments that its tool does not declare and that are not known to be data; none if it may be made. They count
/// where the class of the tool was read from what it declares, and no person has seen the call.
pub(crate) fn undeclared(
    policy: &ToolPolicy,
    tool: &Tool,
    permit: Option<&str>,
    arguments: &Map<String, Value>,
) -> Option<String> {
    let terms = &tool.terms;
    let is_read = matches!(terms.decided_by, Decider::Name | Decider::Parameters | Decider::Call)
        && terms.class != ToolClass::Write;
    if policy.mode != PolicyMode::Enforce || !is_read || permit.is_some() {
        return None;
    }
    let schema = tool.input_schema.as_object()?;
    let (server, name, description) = (&tool.server, &tool.name, &tool.description);
    let declared = Declared { server, name, description, schema };
    let why = tarsy_effects::doubt_of_undeclared(declared, arguments)?;
    Some(format!(
        "The tool '{}' was not called: it does not declare all arguments, and {why}. Use only the parameters that it \
         declares.",
        tool.full_name()
    ))
}

/// Whether a second execution of a call does no harm: it reads, or its server says so and nothing contradicts it.
pub(crate) fn may_repeat(tool: &Tool, arguments: &Map<String, Value>) -> bool {
    let terms = &tool.terms;
    if !terms.judged.is_empty() {
        return tarsy_effects::doubt(&terms.judged, arguments).is_none();
    }
    let is_annotated = tool.read_only && terms.class != ToolClass::Write;
    terms.class == ToolClass::ReadOnly || is_annotated || tool.idempotent
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
    use serde_json::json;
    use tarsy_contracts::judged::Judged;

    use super::*;

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
    fn a_tool_that_returns_secrets_is_listed_only_if_the_operator_names_it() {
        let enforce = ToolPolicy { mode: PolicyMode::Enforce, ..ToolPolicy::default() };
        let (secret, other) = (tool("get_secret_value", true), tool("get_value", true));
        assert_eq!(refusal(&enforce, None, &secret), Some(Refused::Secret));
        assert_eq!(refusal(&enforce, None, &other), None);
        for (glob, is_listed) in
            [("get_secret_value", true), ("*secret*", true), ("get_*", false), ("*", false)]
        {
            let named = ToolPolicy { allow: vec![glob.to_owned()], ..enforce.clone() };
            assert_eq!(refusal(&named, None, &secret).is_none(), is_listed, "{glob}");
            let named = ToolPolicy { read_only: vec![glob.to_owned()], ..enforce.clone() };
            assert_eq!(refusal(&named, None, &secret).is_none(), is_listed, "{glob}");
        }
        let allow_all = ToolPolicy { mode: PolicyMode::AllowAll, ..enforce };
        assert_eq!(refusal(&allow_all, None, &secret), None);
    }

    #[test]
    fn an_annotation_that_the_name_contradicts_is_none() {
        let policy = ToolPolicy { require_read_only: true, ..ToolPolicy::default() };
        let mut drops = tool("drop_all_tables", true);
        drops.terms.class = ToolClass::Write;
        assert_eq!(refusal(&policy, None, &drops), Some(Refused::NotReadOnly));
        assert!(!may_repeat(&drops, &Map::new()));
        assert!(may_repeat(&tool("status", true), &Map::new()));
        assert!(!may_repeat(&tool("status", false), &Map::new()));
    }

    #[test]
    fn a_call_that_is_judged_needs_a_permit_and_is_not_repeated_unless_it_reads() {
        let mut query = tool("query", false);
        query.idempotent = true;
        query.terms.requirement = Requirement::Approval;
        query.terms.definition = "now".to_owned();
        let language = tarsy_contracts::judged::Language::Sql;
        let parameter = "sql".to_owned();
        query.terms.judged = vec![Judged { parameter, language, may_be_absent: false }];
        let with = |sql: &str| Map::from_iter([("sql".to_owned(), json!(sql))]);
        assert_eq!(missing_permit(&query, None, &with("SELECT 1")), None);
        let refused = missing_permit(&query, None, &with("DROP TABLE t")).unwrap();
        assert!(refused.contains("nobody has approved it"), "{refused}");
        assert_eq!(missing_permit(&query, Some("now"), &with("DROP TABLE t")), None);
        assert!(missing_permit(&query, Some("before"), &with("DROP TABLE t")).is_some());
        assert!(may_repeat(&query, &with("SELECT 1")));
        assert!(!may_repeat(&query, &with("DROP TABLE t")));
    }

    #[test]
    fn a_dry_run_needs_no_permit_where_the_operator_trusts_the_tool_with_it() {
        let mut scale = tool("scale", false);
        scale.terms.requirement = Requirement::Approval;
        let with = |value: Value| Map::from_iter([("dry_run".to_owned(), value)]);
        assert!(missing_permit(&scale, None, &with(json!(true))).is_some());
        scale.terms.dry_run = Some("dry_run".to_owned());
        assert_eq!(missing_permit(&scale, None, &with(json!(true))), None);
        for other in [json!(false), json!("true"), json!(1)] {
            assert!(missing_permit(&scale, None, &with(other)).is_some());
        }
        assert!(missing_permit(&scale, None, &Map::new()).is_some());
    }

    #[test]
    fn a_call_has_no_switch_or_program_that_its_tool_does_not_declare() {
        let enforce = ToolPolicy { mode: PolicyMode::Enforce, ..ToolPolicy::default() };
        let mut list = tool("list_users", false);
        list.input_schema = json!({"properties": {"name": {"type": "string"}}});
        list.terms.class = ToolClass::ReadOnly;
        list.terms.decided_by = Decider::Name;
        let with = |name: &str| Map::from_iter([(name.to_owned(), json!("x"))]);
        for name in ["name", "namespace", "cursor"] {
            assert_eq!(undeclared(&enforce, &list, None, &with(name)), None, "{name}");
        }
        for name in ["force", "sql", "method", "command", "delete", "dry_run", "_method"] {
            let refused = undeclared(&enforce, &list, None, &with(name)).unwrap();
            assert!(refused.contains("does not declare"), "{refused}");
            assert_eq!(undeclared(&enforce, &list, Some("now"), &with(name)), None, "{name}");
        }
        let allow_all = ToolPolicy { mode: PolicyMode::AllowAll, ..enforce.clone() };
        assert_eq!(undeclared(&allow_all, &list, None, &with("force")), None);
        list.terms.decided_by = Decider::Operator;
        assert_eq!(undeclared(&enforce, &list, None, &with("force")), None);
    }

    #[test]
    fn a_refusal_contains_the_tool_the_server_and_the_rule() {
        let message = Refused::Denied("*_delete").explain(&tool("pods_delete", false));
        assert!(message.contains("'s.pods_delete'") && message.contains("'*_delete'"), "{message}");
    }
}
