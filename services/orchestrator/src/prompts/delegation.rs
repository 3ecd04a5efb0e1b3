//! What agents read that dispatch others, and those that are dispatched.

use minijinja::context;
use tarsy_catalog::{RESERVED_ID, ResolvedDelegation};
use tarsy_domain::status::WorkStatus;

use super::Prompts;
use super::fence::{fenced, line};

/// What a dispatched agent found, for the one that dispatched it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SubAgentResult<'a> {
    /// Its number among those of the same agent.
    pub(crate) number: i32,
    pub(crate) agent: &'a str,
    pub(crate) status: WorkStatus,
    pub(crate) error: Option<&'a str>,
    /// Empty if it found nothing.
    pub(crate) found: &'a str,
}

impl Prompts {
    /// The agents that an agent may dispatch; follows its system prompt. Where its task has dependencies, what the alert's object
    /// calls is a part for one of them.
    pub(crate) fn delegation(
        &self,
        delegation: &ResolvedDelegation,
        has_dependencies: bool,
    ) -> String {
        let agents: Vec<_> = delegation
            .agents
            .iter()
            .map(|one| {
                let servers: Vec<_> =
                    one.agent.servers.iter().map(|server| server.id.clone()).collect();
                context! {
                    name => one.agent.name.clone(),
                    description => line(&one.description),
                    servers => servers.join(", "),
                }
            })
            .collect();
        let most = delegation.max_concurrent_agents;
        self.render(
            "delegation",
            context! { agents, most, has_dependencies, server => RESERVED_ID },
        )
    }

    /// The task of an agent, with what another one dispatched it for.
    pub(crate) fn assigned(&self, task: String, assignment: Option<&str>) -> String {
        let Some(assignment) = assignment else { return task };
        let assignment = self.render("assignment", context! { assignment => fenced(assignment) });
        format!("{task}\n\n{assignment}")
    }

    /// What a dispatched agent found.
    pub(crate) fn sub_agent_result(&self, result: &SubAgentResult<'_>) -> String {
        self.render(
            "sub_agent_result",
            context! {
                number => result.number,
                agent => result.agent,
                status => result.status.as_str().replace('_', " "),
                error => result.error.map(line),
                found => fenced(result.found),
            },
        )
    }

    /// The answer to a conclusion that came before the results of these agents.
    pub(crate) fn awaited(&self, awaited: &[String]) -> String {
        self.render("awaited", context! { awaited => awaited.join(", ") })
    }
}
