//! What a played model is asked, and what it answers.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::watch;

/// What the model is asked.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The model's name.
    pub model: String,
    pub system: String,
    /// The conversation after them.
    pub messages: Vec<Value>,
    /// The names of the tools it may call.
    pub tools: Vec<String>,
    /// The name of the form that the answer is to have; empty if it is free.
    pub form: String,
}

const VERDICT: &str = "verdict";

/// Why a model is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    Agent,
    /// Several agents are joined.
    Synthesis,
    /// A question is answered.
    Chat,
    /// The session is put in short.
    Summary,
    /// The large result of a tool is put in short.
    Digest,
    Verdict,
}

impl Asked {
    pub(super) fn read(body: &Value) -> Self {
        let all = body["messages"].as_array().cloned().unwrap_or_default();
        let (system, messages): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|message| message["role"] == "system");
        let tools = body["tools"].as_array().into_iter().flatten();
        Self {
            model: body["model"].as_str().unwrap_or_default().to_owned(),
            system: system.iter().map(text).collect(),
            messages,
            tools: tools
                .filter_map(|tool| tool["function"]["name"].as_str().map(str::to_owned))
                .collect(),
            form: body["response_format"]["json_schema"]["name"]
                .as_str()
                .unwrap_or_default()
                .to_owned(),
        }
    }

    pub fn purpose(&self) -> Purpose {
        if self.form == VERDICT {
            Purpose::Verdict
        } else if self.system.contains("You summarize the output of a tool") {
            Purpose::Digest
        } else if self.system.contains("the executive summary") {
            Purpose::Summary
        } else if self.system.contains("You write the synthesis") {
            Purpose::Synthesis
        } else if self.system.contains("follow-up") {
            Purpose::Chat
        } else {
            Purpose::Agent
        }
    }

    /// How often it has answered before in this conversation.
    pub fn turn(&self) -> usize {
        self.messages.iter().filter(|message| message["role"] == "assistant").count()
    }

    /// Whether its instructions or its task contain this text.
    pub fn contains(&self, words: &str) -> bool {
        self.system.contains(words) || self.task().contains(words)
    }

    pub fn task(&self) -> String {
        self.messages.first().map(text).unwrap_or_default()
    }

    /// The last message it received.
    pub fn last(&self) -> String {
        self.messages.last().map(text).unwrap_or_default()
    }
}

/// The text of a message, whichever of the two forms it has.
fn text(message: &Value) -> String {
    match &message["content"] {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        _ => String::new(),
    }
}

/// What the model answers.
#[derive(Clone, Debug)]
pub enum Answer {
    /// It asks for these calls: name and arguments.
    Calls(Vec<(&'static str, Value)>),
    Text(String),
    /// It streams this in small chunks, with this pause between them.
    Streams(String, Duration),
    /// The same again and again while the model is held; without pauses once it is released.
    Flows(String, Duration),
    /// It streams this text, and then nothing more, without an end.
    Stalls(String),
    /// It ends without a word.
    Nothing,
    /// It never begins.
    NoAnswer,
    /// It refuses with this HTTP status.
    Refuses(u16),
    /// It refuses with this HTTP status, and wants to be left alone for so many seconds.
    RefusesFor(u16, u32),
    /// It streams this in small chunks, with this pause between them; in the middle it waits for the gate.
    Halves(String, Duration, Gate),
    /// It waits for the gate, and then answers so.
    Waits(Gate, Box<Self>),
}

/// Holds answers back until a test opens it.
#[derive(Clone, Debug, Default)]
pub struct Gate(watch::Sender<bool>);

impl Gate {
    /// Lets every answer go on, now and later.
    pub fn open(&self) {
        self.0.send_replace(true);
    }

    /// Waits until it is open.
    pub async fn passed(self) {
        // The sender lives as long as this, so that it cannot fail.
        drop(self.0.subscribe().wait_for(|open| *open).await);
    }
}

impl Answer {
    pub fn text(text: &str) -> Self {
        Self::Text(text.to_owned())
    }

    /// It streams so many numbered lines in small chunks, with this pause between them.
    pub fn lines(many: u32, line: &str, pause: Duration) -> Self {
        Self::Streams(numbered(many, line), pause)
    }

    pub fn call(name: &'static str, arguments: Value) -> Self {
        Self::Calls(vec![(name, arguments)])
    }
}

/// How a model answers: a function of what it is asked.
#[derive(Clone)]
pub struct Script(Arc<dyn Fn(&Asked) -> Answer + Send + Sync>);

impl Script {
    /// The model answers so.
    pub fn new(answer: impl Fn(&Asked) -> Answer + Send + Sync + 'static) -> Self {
        Self(Arc::new(answer))
    }

    /// The verdict is the usual one of every script.
    pub(super) fn answer(&self, asked: &Asked) -> Answer {
        match asked.purpose() {
            Purpose::Verdict => verdict(asked),
            _ => (self.0)(asked),
        }
    }

    /// The model takes these turns in every conversation, and writes the usual summary and synthesis.
    pub fn turns(turns: Vec<Answer>) -> Self {
        Self::new(move |asked| {
            let turn = || turns.get(asked.turn()).cloned().unwrap_or(Answer::Refuses(404));
            usual(asked).unwrap_or_else(turn)
        })
    }
}

impl fmt::Debug for Script {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Script")
    }
}

/// The executive summary and the synthesis that most scripts write.
pub fn usual(asked: &Asked) -> Option<Answer> {
    match asked.purpose() {
        Purpose::Summary => Some(Answer::text("The summary: all is explained.")),
        Purpose::Synthesis => Some(Answer::text("The synthesis: all agree.")),
        Purpose::Agent | Purpose::Chat | Purpose::Digest | Purpose::Verdict => None,
    }
}

/// A verdict about the longest word of the analysis: an object must be known.
fn verdict(asked: &Asked) -> Answer {
    let task = asked.task();
    let analysis =
        task.split("<analysis>").nth(1).and_then(|rest| rest.split("</analysis>").next());
    let words = analysis.unwrap_or_default().split(|c: char| !c.is_alphanumeric());
    let object = words.max_by_key(|word| word.len()).unwrap_or_default();
    let evidence = if task.contains("\nE1 [call ") { json!(["E1"]) } else { json!([]) };
    let verdict = json!({
        "outcome": "no_fault_found",
        "alert_statement": "not_confirmed",
        "answer": "",
        "cause": "what the analysis names",
        "category": "other",
        "object": { "kind": "object", "name": object, "namespace": null },
        "since": null,
        "confidence": "low",
        "evidence": evidence,
        "alternatives": [],
        "not_examined": [],
        "next_steps": ["Look again"],
    });
    Answer::Text(verdict.to_string())
}

/// So many numbered lines.
pub fn numbered(many: u32, line: &str) -> String {
    (1..=many).fold(String::new(), |text, number| text + &format!("{number}. {line}\n"))
}
