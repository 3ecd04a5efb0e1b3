//! The four records of a session side by side: timeline, messages, interactions, and the events
//! that a viewer was sent.

mod agree;
mod report;

use serde_json::Value;
use sqlx::PgConnection;

use crate::stack::Stack;

/// Everything that is kept of one session.
#[derive(Clone, Debug)]
pub struct Records {
    /// The session as the API shows it.
    pub detail: Value,
    /// The timeline as the API shows it.
    pub timeline: Vec<Value>,
    pub stages: Vec<Value>,
    /// The executions of agents, in the order of their stages.
    pub executions: Vec<Value>,
    /// The messages of models, in the order of each conversation.
    pub messages: Vec<Value>,
    /// Calls of models, the oldest first.
    pub llm: Vec<Value>,
    /// Calls of tools, in the order of their numbers.
    pub mcp: Vec<Value>,
    /// What tool servers offered each agent, by agent and server.
    pub offers: Vec<Value>,
}

const STAGES: &str = "select to_jsonb(s) from stages s where session_id = $1::uuid \
     order by stage_index";
const EXECUTIONS: &str = "select to_jsonb(e) from agent_executions e \
     join stages s on s.id = e.stage_id where e.session_id = $1::uuid \
     order by s.stage_index, e.agent_index";
const MESSAGES: &str = "select to_jsonb(m) - 'provider_state' from messages m \
     where session_id = $1::uuid order by execution_id, sequence_number";
const LLM: &str = "select to_jsonb(i) from llm_interactions i where session_id = $1::uuid \
     order by created_at, id";
const MCP: &str = "select to_jsonb(i) from mcp_interactions i where session_id = $1::uuid \
     and interaction_type = 'tool_call' order by call_number";
const OFFERS: &str = "select to_jsonb(i) from mcp_interactions i where session_id = $1::uuid \
     and interaction_type = 'tool_list' order by execution_id, server_name";

impl Records {
    /// Reads all that is kept of a session.
    pub async fn of(stack: &Stack, session: &str) -> anyhow::Result<Self> {
        let mut sql = stack.sql().await?;
        let timeline = stack.get(&format!("/api/v1/sessions/{session}/timeline")).await?;
        Ok(Self {
            detail: stack.get(&format!("/api/v1/sessions/{session}")).await?,
            timeline: timeline.as_array().cloned().unwrap_or_default(),
            stages: rows(&mut sql, STAGES, session).await?,
            executions: rows(&mut sql, EXECUTIONS, session).await?,
            messages: rows(&mut sql, MESSAGES, session).await?,
            llm: rows(&mut sql, LLM, session).await?,
            mcp: rows(&mut sql, MCP, session).await?,
            offers: rows(&mut sql, OFFERS, session).await?,
        })
    }

    /// The session's id.
    pub fn session(&self) -> &str {
        word(&self.detail, "id")
    }

    /// The first event of this kind on the timeline.
    pub fn first(&self, kind: &str) -> Option<&Value> {
        self.timeline.iter().find(|event| event["event_type"] == kind)
    }

    /// The contents of all events of this kind on the timeline.
    pub fn contents(&self, kind: &str) -> Vec<&str> {
        self.timeline
            .iter()
            .filter(|event| event["event_type"] == kind)
            .filter_map(|event| event["content"].as_str())
            .collect()
    }

    /// The prompts that the agents of this stage were given, the instructions first.
    pub fn prompts(&self, stage: &str) -> Vec<&str> {
        let stages: Vec<&Value> = self
            .stages
            .iter()
            .filter(|one| one["stage_name"] == stage)
            .map(|one| &one["id"])
            .collect();
        self.messages
            .iter()
            .filter(|message| stages.contains(&&message["stage_id"]))
            .filter(|message| message["role"] == "system" || message["role"] == "user")
            .filter_map(|message| message["content"].as_str())
            .collect()
    }
}

async fn rows(
    sql: &mut PgConnection,
    query: &'static str,
    session: &str,
) -> anyhow::Result<Vec<Value>> {
    Ok(sqlx::query_scalar(query).bind(session).fetch_all(sql).await?)
}

/// The rows that belong to something.
fn of<'a>(rows: &'a [Value], key: &'a str, id: &'a Value) -> impl Iterator<Item = &'a Value> {
    rows.iter().filter(move |row| row[key] == *id)
}

fn word<'a>(row: &'a Value, key: &str) -> &'a str {
    row[key].as_str().unwrap_or_default()
}
