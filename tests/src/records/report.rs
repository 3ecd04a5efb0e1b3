//! A session's records as a page of text, short enough to be read in a test.

use std::fmt::Write as _;

use serde_json::Value;

use crate::records::{Records, of, word};

impl Records {
    /// What happened: stage by stage, agent by agent, as each of the records has it. What did not
    /// complete has its status behind it.
    pub fn report(&self) -> String {
        let mut page = String::new();
        for stage in &self.stages {
            let asked = if stage["chat_user_message_id"].is_null() { "" } else { "chat: " };
            line(&mut page, 0, &format!("{asked}{}", ended(word(stage, "stage_name"), stage)));
            list(&mut page, "timeline", self.own(&stage["id"]));
            for execution in of(&self.executions, "stage_id", &stage["id"]) {
                self.agent(&mut page, execution);
            }
        }
        line(&mut page, 0, &ended("session", &self.detail));
        list(&mut page, "timeline", self.own(&Value::Null));
        // Summary and verdict are asked for at the same time.
        let mut llm: Vec<String> = of(&self.llm, "execution_id", &Value::Null).map(turn).collect();
        llm.sort();
        list(&mut page, "llm", llm.into_iter());
        page.trim_end().to_owned()
    }

    /// The events of a stage, or of the session, that belong to no agent.
    fn own<'a>(&'a self, stage: &'a Value) -> impl Iterator<Item = String> + 'a {
        of(&self.timeline, "stage_id", stage)
            .filter(|event| event["execution_id"].is_null())
            .map(|event| ended(word(event, "event_type"), event))
    }

    fn agent(&self, page: &mut String, execution: &Value) {
        line(page, 1, &ended(word(execution, "agent_name"), execution));
        let execution = &execution["id"];
        let timeline = of(&self.timeline, "execution_id", execution)
            .map(|event| ended(word(event, "event_type"), event));
        list(page, "timeline", timeline);
        let messages =
            of(&self.messages, "execution_id", execution).map(|one| word(one, "role").to_owned());
        list(page, "messages", messages);
        list(page, "llm", of(&self.llm, "execution_id", execution).map(turn));
        let mcp = of(&self.mcp, "execution_id", execution).map(|call| {
            ended(&format!("{}.{}", word(call, "server_name"), word(call, "tool_name")), call)
        });
        list(page, "mcp", mcp);
    }
}

fn turn(call: &Value) -> String {
    let failed = if call["error_message"].is_null() { "" } else { " (failed)" };
    format!("{}{failed}", word(call, "interaction_type"))
}

fn ended(name: &str, row: &Value) -> String {
    match word(row, "status") {
        "completed" => name.to_owned(),
        status => format!("{name} ({status})"),
    }
}

fn list(page: &mut String, name: &str, items: impl Iterator<Item = String>) {
    let items: Vec<String> = items.collect();
    if !items.is_empty() {
        line(page, 2, &format!("{name}: {}", items.join(", ")));
    }
}

fn line(page: &mut String, depth: usize, text: &str) {
    // Writing to a string cannot fail.
    let _ = writeln!(page, "{:1$}{text}", "", depth * 2);
}
