//! Whether a tool may be called: by its class, and by what an operator accepted of its server.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use tarsy_contracts::judged::Decider;
use tarsy_contracts::mcp::{Requirement, Tool, ToolClass, ToolTerms};
use tarsy_effects::doubt_of_text;

/// Whether a tool may be called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Admission {
    /// It may.
    Run,
    /// This call may, without a permit: by its arguments it reads, and the gateway judges them again.
    Reads,
    /// A person has to approve each call; why.
    Approval(String),
    /// Not even its description is shown to a model; why.
    Withheld(String),
    /// The agent has to say first what the call is meant to do; what is missing.
    Unplanned(String),
}

/// Admits a tool. `accepted` are the definitions by name that an operator accepted of its server; none if the
/// server's tools were never accepted.
pub(crate) fn admit(tool: &Tool, accepted: Option<&BTreeMap<String, String>>) -> Admission {
    let terms = &tool.terms;
    let accepted = accepted.map(|tools| tools.get(&tool.name));
    let is_accepted = accepted.flatten() == Some(&terms.definition);
    if terms.pinned
        && !is_accepted
        && let Some(known) = accepted
    {
        let what = if known.is_some() { "has changed" } else { "is new" };
        return Admission::Withheld(format!(
            "it {what} since the tools of the server '{}' were accepted",
            tool.server
        ));
    }
    let reason = &terms.reason;
    match terms.requirement {
        Requirement::None => Admission::Run,
        // Without a pin, a tool is accepted by its name.
        Requirement::Acceptance if is_accepted || accepted.flatten().is_some() => Admission::Run,
        Requirement::Acceptance => {
            Admission::Approval(format!("it is not known what it does ({reason})"))
        }
        Requirement::Approval => Admission::Approval(format!("it {} ({reason})", effect(terms))),
    }
}

/// What is known of the effect of a tool that is not known to read: whoever wrote or runs it knows, its name is a guess.
const fn effect(terms: &ToolTerms) -> &'static str {
    match terms.decided_by {
        Decider::Operator | Decider::Server => "changes something",
        Decider::Name | Decider::Parameters | Decider::Call | Decider::Nobody => {
            "may change something"
        }
    }
}

/// Admits one call of a tool: one whose arguments say that it reads needs no approval.
pub(crate) fn admit_call(
    tool: &Tool,
    accepted: Option<&BTreeMap<String, String>>,
    arguments: &str,
) -> Admission {
    match admit(tool, accepted) {
        Admission::Approval(_) if is_dry_run(tool, arguments) => Admission::Reads,
        Admission::Approval(_) if !tool.terms.judged.is_empty() => {
            match doubt_of_text(&tool.terms.judged, arguments) {
                None => Admission::Reads,
                Some(why) => Admission::Approval(format!("it may change something ({why})")),
            }
        }
        admitted => admitted,
    }
}

/// Whether a call is known to change nothing: by its tool, by its arguments, or by an annotation that an operator accepted.
pub(crate) fn reads(
    tool: &Tool,
    accepted: Option<&BTreeMap<String, String>>,
    arguments: &str,
) -> bool {
    let terms = &tool.terms;
    match terms.class {
        _ if is_dry_run(tool, arguments) => true,
        ToolClass::ReadOnly => true,
        ToolClass::Write => false,
        ToolClass::Unknown if !terms.judged.is_empty() => {
            doubt_of_text(&terms.judged, arguments).is_none()
        }
        ToolClass::Unknown => tool.read_only && is_accepted(tool, accepted),
    }
}

/// Whether a second execution of a call does no harm: it reads, or its server says so and the operator lets that count.
pub(crate) fn may_repeat(
    tool: &Tool,
    accepted: Option<&BTreeMap<String, String>>,
    arguments: &str,
) -> bool {
    let terms = &tool.terms;
    let is_annotated = tool.idempotent || (tool.read_only && terms.class != ToolClass::Write);
    let counts = terms.requirement == Requirement::None || is_accepted(tool, accepted);
    reads(tool, accepted, arguments) || (terms.judged.is_empty() && is_annotated && counts)
}

/// Whether a call is a dry run, of a tool that the operator trusts with that.
fn is_dry_run(tool: &Tool, arguments: &str) -> bool {
    let is_dry = |arguments: Map<String, Value>| tool.terms.is_dry_run(&arguments);
    tool.terms.dry_run.is_some() && serde_json::from_str(arguments).is_ok_and(is_dry)
}

fn is_accepted(tool: &Tool, accepted: Option<&BTreeMap<String, String>>) -> bool {
    accepted.and_then(|tools| tools.get(&tool.name)) == Some(&tool.terms.definition)
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tarsy_contracts::judged::{Judged, Language};

    use super::*;

    fn tool(requirement: Requirement, pinned: bool) -> Tool {
        Tool {
            server: "s".to_owned(),
            name: "t".to_owned(),
            description: String::new(),
            input_schema: json!({}),
            read_only: false,
            idempotent: false,
            terms: ToolTerms {
                requirement,
                pinned,
                definition: "now".to_owned(),
                ..ToolTerms::default()
            },
        }
    }

    fn accepted(name: &str, definition: &str) -> BTreeMap<String, String> {
        [(name.to_owned(), definition.to_owned())].into()
    }

    #[test]
    fn tools_of_a_server_that_nobody_accepted_run_if_they_only_read() {
        assert_eq!(admit(&tool(Requirement::None, true), None), Admission::Run);
        for requirement in [Requirement::Acceptance, Requirement::Approval] {
            let admitted = admit(&tool(requirement, true), None);
            assert!(matches!(admitted, Admission::Approval(_)), "{admitted:?}");
        }
    }

    #[test]
    fn a_dry_run_reads_where_the_operator_trusts_the_tool_with_it() {
        let mut scale = tool(Requirement::Approval, true);
        scale.terms.class = ToolClass::Write;
        let dry = r#"{"to": 3, "dry_run": true}"#;
        assert!(matches!(admit_call(&scale, None, dry), Admission::Approval(_)));
        assert!(!reads(&scale, None, dry));
        scale.terms.dry_run = Some("dry_run".to_owned());
        assert_eq!(admit_call(&scale, None, dry), Admission::Reads);
        assert!(reads(&scale, None, dry));
        for other in [r#"{"to": 3}"#, r#"{"dry_run": false}"#, r#"{"dry_run": "true"}"#, "dry_run"]
        {
            assert!(matches!(admit_call(&scale, None, other), Admission::Approval(_)), "{other}");
            assert!(!reads(&scale, None, other), "{other}");
        }
    }

    #[test]
    fn who_approves_a_call_reads_what_is_known_of_its_effect() {
        let mut writes = tool(Requirement::Approval, true);
        for (decided_by, reason, shown) in [
            (
                Decider::Server,
                "its server marks it as destructive",
                "it changes something (its server marks it as destructive)",
            ),
            (
                Decider::Name,
                "its name has the word 'undo'",
                "it may change something (its name has the word 'undo')",
            ),
        ] {
            (writes.terms.decided_by, writes.terms.reason) = (decided_by, reason.to_owned());
            assert_eq!(admit(&writes, None), Admission::Approval(shown.to_owned()));
        }
    }

    #[test]
    fn an_accepted_tool_runs_unless_it_writes() {
        let list = accepted("t", "now");
        assert_eq!(admit(&tool(Requirement::Acceptance, true), Some(&list)), Admission::Run);
        let writes = admit(&tool(Requirement::Approval, true), Some(&list));
        assert!(matches!(writes, Admission::Approval(_)), "{writes:?}");
    }

    #[test]
    fn a_tool_that_changed_or_is_new_is_withheld_if_it_is_pinned() {
        for list in [accepted("t", "before"), accepted("other", "now")] {
            for requirement in [Requirement::None, Requirement::Acceptance, Requirement::Approval] {
                let admitted = admit(&tool(requirement, true), Some(&list));
                assert!(matches!(admitted, Admission::Withheld(_)), "{admitted:?}");
            }
            assert_eq!(admit(&tool(Requirement::None, false), Some(&list)), Admission::Run);
        }
        let changed = accepted("t", "before");
        assert_eq!(admit(&tool(Requirement::Acceptance, false), Some(&changed)), Admission::Run);
    }
    fn query() -> Tool {
        let sql = Judged {
            parameter: "sql".to_owned(),
            language: Language::Postgresql,
            may_be_absent: false,
        };
        let mut query = tool(Requirement::Approval, true);
        (query.idempotent, query.terms.judged) = (true, vec![sql]);
        query
    }

    #[test]
    fn a_statement_that_reads_runs_and_every_other_one_waits_for_a_person() {
        let accepted = accepted("t", "now");
        for list in [None, Some(&accepted)] {
            let reads = admit_call(&query(), list, r#"{"sql": "SELECT 1"}"#);
            assert_eq!(reads, Admission::Reads);
            for arguments in [r#"{"sql": "DROP TABLE users CASCADE"}"#, "sql: SELECT 1", "{}"] {
                let admitted = admit_call(&query(), list, arguments);
                assert!(matches!(admitted, Admission::Approval(_)), "{arguments}: {admitted:?}");
            }
        }
        let changed = admit_call(&query(), Some(&self::accepted("t", "before")), "{}");
        assert!(matches!(changed, Admission::Withheld(_)), "{changed:?}");
    }

    #[test]
    fn a_call_is_repeated_if_it_reads_or_if_an_annotation_counts() {
        let accepted = accepted("t", "now");
        assert!(may_repeat(&query(), None, r#"{"sql": "SELECT 1"}"#));
        assert!(!may_repeat(&query(), Some(&accepted), r#"{"sql": "DELETE FROM t"}"#));
        let mut annotated = tool(Requirement::Acceptance, true);
        annotated.read_only = true;
        assert!(!may_repeat(&annotated, None, "{}") && !reads(&annotated, None, "{}"));
        assert!(may_repeat(&annotated, Some(&accepted), "{}"));
        assert!(reads(&annotated, Some(&accepted), "{}"));
        annotated.terms.class = ToolClass::Write;
        assert!(!may_repeat(&annotated, Some(&accepted), "{}"), "its name says otherwise");
        let mut free = tool(Requirement::None, false);
        free.read_only = true;
        assert!(may_repeat(&free, None, "{}"), "where every tool runs, annotations count");
    }
}
