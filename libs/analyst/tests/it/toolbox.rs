//! A toolbox that answers calls from recorded results.

use std::fs;
use std::path::Path;

use serde_json::Value;
use tarsy_analyst::{CallRecord, Next, Report, Tool, Transcript, next};
use tarsy_evidence::{Call, Evidence};

/// Rounds after which an investigation must have ended.
const MOST_ROUNDS: usize = 60;

/// One recorded answer: a part of the tool's name, words that its arguments must hold, its file.
struct Recorded {
    tool: String,
    words: Vec<String>,
    text: String,
}

pub(crate) struct Incident {
    pub(crate) name: String,
    pub(crate) answer: Value,
    alert: String,
    tools: Vec<Tool>,
    recorded: Vec<Recorded>,
}

/// An investigation that has ended.
pub(crate) struct Played {
    pub(crate) report: Report,
    pub(crate) calls: Vec<CallRecord>,
    alert: String,
}

impl Incident {
    /// Reads `alert.md`, `tools.json` (or the name of a file in `toolsets`), `answer.json` and `results`.
    pub(crate) fn load(folder: &Path) -> Self {
        let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap_or_default();
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        let mut tools = read("tools.json");
        if let Ok(Value::String(set)) = serde_json::from_str(&tools) {
            tools = fs::read_to_string(folder.join(format!("../../toolsets/{set}.json"))).unwrap();
        }
        let tools: Vec<Value> = serde_json::from_str(&tools).unwrap();
        let text = |tool: &Value, key: &str| tool[key].as_str().unwrap_or_default().to_owned();
        let tools = tools
            .iter()
            .map(|tool| {
                Tool::new(
                    &text(tool, "name"),
                    &text(tool, "description"),
                    &tool["schema"].to_string(),
                )
            })
            .collect();
        let mut files: Vec<_> = fs::read_dir(folder.join("results"))
            .unwrap()
            .map(|file| file.unwrap().path())
            .collect();
        files.sort();
        let recorded =
            files.iter().map(|file| Recorded::parse(&fs::read_to_string(file).unwrap())).collect();
        let answer = serde_json::from_str(&read("answer.json")).unwrap();
        Self { name, answer, alert: read("alert.md"), tools, recorded }
    }

    fn call(&self, tool: &str, arguments: &Value) -> (String, bool) {
        let mut values: Vec<String> = Vec::new();
        texts(arguments, &mut values);
        let given = values.join(" ").to_lowercase();
        let given: Vec<&str> =
            given.split(|c: char| c.is_whitespace() || c == '/' || c == '=').collect();
        let fits = |one: &&Recorded| {
            let is_tool = tool.rsplit('.').next() == Some(&one.tool);
            let asked = one.words.iter().all(|word| given.contains(&word.as_str()));
            // A recording of something narrower or wider does not answer.
            let flags =
                |word: &str| one.words.iter().any(|one| one == word) == given.contains(&word);
            is_tool
                && asked
                && ["--previous", "true", "yaml", "describe", "logs", "-a"]
                    .iter()
                    .all(|word| flags(word))
        };
        let best = self.recorded.iter().filter(fits).max_by_key(|one| one.words.len());
        match best {
            Some(one) => (one.text.clone(), one.text.starts_with("Error")),
            None => ("Error: this call was not recorded".to_owned(), true),
        }
    }

    /// Plays the orchestrator until the analyst concludes.
    pub(crate) fn play(&self) -> Played {
        let mut transcript = Transcript {
            alert: self.alert.clone(),
            tools: self.tools.clone(),
            remaining_calls: 40,
            ..Transcript::default()
        };
        for _ in 0..MOST_ROUNDS {
            match next(&transcript) {
                Next::Conclude(report) => {
                    return Played {
                        report: *report,
                        calls: transcript.calls,
                        alert: self.alert.clone(),
                    };
                }
                Next::Call(calls) => {
                    for call in calls {
                        let (text, failed) = self.call(&call.tool, &call.arguments);
                        let number = u32::try_from(transcript.calls.len() + 1).unwrap();
                        let (tool, arguments) = (call.tool, call.arguments);
                        transcript.calls.push(CallRecord { number, tool, arguments, text, failed });
                    }
                }
            }
        }
        panic!("{}: no end", self.name)
    }
}

impl Recorded {
    /// The first line is `tool word word …`.
    fn parse(text: &str) -> Self {
        let (head, body) = text.split_once('\n').unwrap_or((text, ""));
        let mut words = head.split_whitespace().map(str::to_lowercase);
        Self {
            tool: words.next().unwrap_or_default(),
            words: words.collect(),
            text: body.to_owned(),
        }
    }
}

fn texts(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(map) => map.values().for_each(|one| texts(one, found)),
        Value::Array(list) => list.iter().for_each(|one| texts(one, found)),
        Value::String(text) => found.push(text.clone()),
        other => found.push(other.to_string()),
    }
}

impl Played {
    /// What the claim checker flags in the report.
    pub(crate) fn flagged(&self) -> Vec<String> {
        flagged(&self.report.markdown, &self.calls, &self.alert)
    }
}

/// What the claim checker flags in a report.
pub(crate) fn flagged(report: &str, calls: &[CallRecord], alert: &str) -> Vec<String> {
    let arguments: Vec<String> = calls.iter().map(|call| call.arguments.to_string()).collect();
    let calls: Vec<Call<'_>> = calls
        .iter()
        .zip(&arguments)
        .map(|(call, arguments)| Call {
            number: call.number,
            tool: &call.tool,
            arguments,
            text: &call.text,
            answered_at: None,
        })
        .collect();
    let checked = Evidence::new(&calls, &[alert]).check(report);
    checked
        .flagged()
        .map(|one| {
            format!("{:?} {:?} {:?}", one.verdict, one.instead, report.get(one.claim.range.clone()))
        })
        .collect()
}
