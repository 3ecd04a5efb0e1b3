//! One whole session over all four records, as it is stored and shown: tests/golden/.
//!
//! After a wanted change: `INSTA_UPDATE=always cargo test -p tarsy-e2e golden::`, and read the diff.

use std::collections::HashMap;

use serde_json::{Map, Value, json};
use tarsy_e2e::model::usual;
use tarsy_e2e::{Answer, Asked, Llm, Purpose, Records, Script, Stack, StackOptions};

const CHAIN: &str = "  \
  golden:
    alert_types: [golden]
    stages:
      - {name: first, agents: [{name: Alpha}]}
      - {name: together, agents: [{name: Beta}, {name: Gamma}]}
    chat: {agent: Alpha}
";

/// Gamma calls nothing: calls of agents at work at once would come in any order.
fn play(asked: &Asked) -> Answer {
    if let Some(answer) = usual(asked) {
        return answer;
    }
    if asked.role() == Some("Gamma") {
        return Answer::text("Gamma has nothing to add.");
    }
    match (asked.purpose(), asked.turn()) {
        (Purpose::Chat, 0) => Answer::call("ledger__look", json!({ "what": "again" })),
        (Purpose::Chat, _) => Answer::text("It is still full [call 3]."),
        (_, 0) => Answer::call("ledger__look", json!({ "what": "disk" })),
        _ => Answer::text("The disk is full [call 1]."),
    }
}

#[tokio::test]
async fn one_whole_session_is_stored_and_published_as_before() -> anyhow::Result<()> {
    let options = StackOptions {
        llm: Llm::Scripted(Script::new(play)),
        chains: CHAIN,
        ..StackOptions::default()
    };
    let stack = Stack::start(options).await?;
    let (records, viewer) =
        stack.investigated("golden", "The disk of web-1 is full.", "completed").await?;
    let records = stack.answered(records.session(), &viewer, "Is it still full?").await?;

    let mut whole = by_agent(&records, &viewer.seen());
    Names::default().give(&mut whole);
    insta::with_settings!({ snapshot_path => "../../golden", prepend_module_to_snapshot => false, sort_maps => true }, {
        insta::assert_json_snapshot!("session", whole);
    });
    Ok(())
}

/// The records, agent by agent: agents at work at once write in any order.
fn by_agent(records: &Records, seen: &[Value]) -> Value {
    let published: Vec<Value> = seen
        .iter()
        .filter(|event| event.get("db_event_id").is_some_and(Value::is_i64))
        .cloned()
        .collect();
    let mut stages = Vec::new();
    for stage in &records.stages {
        let of_stage = |row: &&Value| at(row, "stage_id") == at(stage, "id");
        let own = |rows: &[Value]| -> Vec<Value> {
            rows.iter()
                .filter(of_stage)
                .filter(|row| at(row, "execution_id").is_null() && at(row, "agent_name").is_null())
                .cloned()
                .collect()
        };
        let agents: Vec<Value> = records
            .executions
            .iter()
            .filter(of_stage)
            .map(|execution| {
                let of = |rows: &[Value]| -> Vec<Value> {
                    let id = at(execution, "id");
                    rows.iter().filter(|row| at(row, "execution_id") == id).cloned().collect()
                };
                json!({
                    "execution": execution,
                    "timeline": of(&records.timeline),
                    "messages": of(&records.messages),
                    "llm": of(&records.llm),
                    "mcp": of(&records.mcp),
                    "offers": of(&records.offers),
                    "events": of(&events_of(&published, records)),
                })
            })
            .collect();
        stages.push(json!({
            "stage": stage,
            "timeline": own(&records.timeline),
            "events": own(&published),
            "agents": agents,
        }));
    }
    let of_session = |rows: &[Value]| -> Vec<Value> {
        let free = |row: &&Value| {
            ["stage_id", "event_id", "execution_id"].iter().all(|key| at(row, key).is_null())
        };
        let mut rows: Vec<Value> = rows.iter().filter(free).cloned().collect();
        // Summary and verdict are written at the same time.
        let kind = |row: &Value| {
            let recorded =
                records.llm.iter().find(|one| at(one, "id") == at(row, "interaction_id"));
            let row = recorded.unwrap_or(row);
            at(row, "interaction_type").as_str().or(at(row, "type").as_str()).map(str::to_owned)
        };
        rows.sort_by_key(kind);
        rows
    };
    json!({
        "session": records.detail,
        "llm": of_session(&records.llm),
        "events": of_session(&published),
        "stages": stages,
    })
}

/// The end of a timeline event names no execution: it gets the one of its beginning.
fn events_of(published: &[Value], records: &Records) -> Vec<Value> {
    published
        .iter()
        .cloned()
        .map(|mut event| {
            let begun = records.timeline.iter().find(|one| at(one, "id") == at(&event, "event_id"));
            if let (Some(begun), Some(fields)) = (begun, event.as_object_mut()) {
                fields.insert("execution_id".to_owned(), at(begun, "execution_id").clone());
            }
            event
        })
        .collect()
}

fn at<'a>(row: &'a Value, key: &str) -> &'a Value {
    row.get(key).unwrap_or(&Value::Null)
}

/// Gives ids names by the order in which they come, and takes out what differs each time.
#[derive(Default)]
struct Names(HashMap<String, String>);

impl Names {
    fn give(&mut self, value: &mut Value) {
        match value {
            Value::Object(fields) => self.fields(fields),
            Value::Array(items) => items.iter_mut().for_each(|item| self.give(item)),
            Value::String(text) => *text = self.text(text),
            _ => {}
        }
    }

    fn fields(&mut self, fields: &mut Map<String, Value>) {
        let prompt = ["system", "user"].iter().any(|role| fields.get("role") == Some(&json!(role)));
        // Numbers of the whole session depend on who of several agents is quicker.
        let of_session = fields.contains_key("event_type") || fields.contains_key("db_event_id");
        // The order of keys differs between events received live and events read from the table.
        let mut sorted: Vec<_> = fields.iter_mut().collect();
        sorted.sort_by_key(|(key, _)| (*key).clone());
        for (key, value) in sorted {
            match key.as_str() {
                "content" if prompt => *value = json!("<a prompt>"),
                "messages" if value.as_array().is_some_and(|all| all.iter().all(is_prompt)) => {
                    *value = json!("<prompts>");
                }
                "response_format" if value.is_string() => *value = json!("<schema>"),
                "duration_ms" | "db_event_id" => *value = json!("<number>"),
                "first_token_ms" | "waited_ms" if value.is_number() => *value = json!("<number>"),
                "sequence_number" if of_session => *value = json!("<number>"),
                _ => self.give(value),
            }
        }
    }

    fn text(&mut self, text: &str) -> String {
        if text.len() == 36 && text.split('-').map(str::len).eq([8, 4, 4, 4, 12]) {
            let next = format!("<id {}>", self.0.len() + 1);
            return self.0.entry(text.to_owned()).or_insert(next).clone();
        }
        let is_time = text.len() >= 20
            && text.get(4..5) == Some("-")
            && text.get(10..11) == Some("T")
            && text.starts_with("20");
        if is_time { "<time>".to_owned() } else { text.to_owned() }
    }
}

fn is_prompt(message: &Value) -> bool {
    at(message, "role") == "system" || at(message, "role") == "user"
}
