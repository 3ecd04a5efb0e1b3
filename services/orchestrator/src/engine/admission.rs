//! Whether a tool may be called: by its class, and by what an operator accepted of its server.

use std::collections::BTreeMap;

use tarsy_contracts::mcp::{Requirement, Tool};

/// Whether a tool may be called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Admission {
    /// It may.
    Run,
    /// A person has to approve each call; why.
    Approval(String),
    /// Not even its description is shown to a model; why.
    Withheld(String),
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
        Requirement::Approval => Admission::Approval(format!("it may change something ({reason})")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tarsy_contracts::mcp::ToolTerms;

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
}
