//! What is printed of the events of a session.

use std::collections::HashMap;

use serde_json::Value;

use crate::output::{self, Format, field, indented, style};

/// The result of a tool is shown to this length.
const RESULT_LINES: usize = 6;
/// Characters of the reason why a call failed, and of an argument.
const REASON: usize = 160;
const ARGUMENT: usize = 60;

/// How much is shown of what happens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Detail {
    /// A line for each call, and the finding once.
    #[default]
    Calls,
    /// Also what the model writes and the beginning of each result.
    Everything,
}

impl Detail {
    pub(crate) fn of(verbose: bool) -> Self {
        if verbose { Self::Everything } else { Self::Calls }
    }
}

/// What is followed to its end.
#[derive(Clone, Default)]
pub(super) enum Target {
    #[default]
    Session,
    /// The stage that answers a question.
    Stage(String),
}

impl Target {
    /// Whether an event says that this is over.
    fn is_ended_by(&self, event: &Value) -> bool {
        let kind = text(&event["type"]);
        let concerns = match self {
            Self::Session => kind == "session.status",
            Self::Stage(id) => kind == "stage.status" && text(&event["stage_id"]) == id,
        };
        concerns && is_terminal(text(&event["status"]))
    }
}

/// What was shown so far.
#[derive(Default)]
pub(super) struct Screen {
    pub(super) format: Format,
    pub(super) detail: Detail,
    /// Nothing is shown.
    pub(super) is_quiet: bool,
    pub(super) target: Target,
    pub(super) last_seq: i64,
    /// The kind of each streaming event, and how many bytes of it were shown.
    pub(super) open: HashMap<String, (String, u64)>,
    /// The streaming event whose text is on the current line.
    pub(super) writing: Option<String>,
    /// The tool whose calls are on the current line.
    pub(super) calling: Option<String>,
    /// The tool whose failures are on the current line, with how they failed.
    pub(super) failing: Option<String>,
}

impl Screen {
    /// Shows one event; whether it was the last of what is followed.
    pub(super) fn show(&mut self, event: &Value) -> anyhow::Result<bool> {
        if let Some(seq) = event["db_event_id"].as_i64() {
            if seq <= self.last_seq {
                return Ok(false);
            }
            self.last_seq = seq;
        }
        match self.format {
            _ if self.is_quiet => {}
            Format::Json => output::json_line(event)?,
            Format::Text => self.print(event),
        }
        let ends = self.target.is_ended_by(event);
        if ends {
            self.end_line();
        }
        Ok(ends)
    }

    fn print(&mut self, event: &Value) {
        let status = text(&event["status"]);
        match text(&event["type"]) {
            "timeline_event.created" => self.created(event),
            "timeline_event.completed" => self.completed(event),
            "stream.chunk" => self.chunk(event),
            "stage.status" if self.is_verbose() || !is_usual(status) => {
                let name = field(text(&event["stage_name"]));
                self.note(&format!("stage {name} {}", field(status)));
            }
            "session.status" if self.is_verbose() || !is_usual(status) => {
                self.note(&format!("session {}", field(status)));
            }
            _ => {}
        }
    }

    fn is_verbose(&self) -> bool {
        self.detail == Detail::Everything
    }

    /// Whether what a model writes is shown: an answer is what was asked for, an investigation ends with its finding.
    fn shows_text(&self, kind: &str) -> bool {
        self.is_verbose() || (matches!(self.target, Target::Stage(_)) && kind == "llm_response")
    }

    fn created(&mut self, event: &Value) {
        let kind = text(&event["event_type"]).to_owned();
        if event["status"] == "streaming" {
            self.open.insert(text(&event["event_id"]).to_owned(), (kind.clone(), 0));
            if kind == "llm_tool_call" {
                self.call(&event["metadata"]);
            }
            return;
        }
        match kind.as_str() {
            "error" => self.note(&format!("{} {}", style("!").red(), text(&event["content"]))),
            // The conclusion was streamed as the model's last response; the summary comes last.
            "final_analysis" | "executive_summary" => {}
            other if self.is_verbose() => {
                self.note(&format!("{}: {}", field(other), text(&event["content"])));
            }
            other => {
                let first = text(&event["content"]).lines().next().unwrap_or_default();
                self.note(&format!("{}: {}", field(other), field(first)));
            }
        }
    }

    /// Calls of one tool in a row share a line.
    fn call(&mut self, call: &Value) {
        let server = field(text(&call["server_name"]));
        let tool = format!("{server}.{}", field(text(&call["tool_name"])));
        let arguments = pairs(&call["arguments"]);
        let arguments = field(&arguments);
        if self.calling.as_ref() == Some(&tool) {
            let arguments = if arguments.is_empty() { "again" } else { &arguments };
            output::fragment(&format!(", {}", indented(arguments)));
            return;
        }
        self.end_line();
        let line = format!("{} {tool} {arguments}", style("call").cyan());
        output::fragment(&format!("{} {}", style("·").dim(), indented(line.trim_end())));
        self.calling = Some(tool);
    }

    fn chunk(&mut self, event: &Value) {
        let id = text(&event["event_id"]).to_owned();
        let kind = self.open.get(&id).map(|(kind, _)| kind.clone()).unwrap_or_default();
        if !self.shows_text(&kind) {
            return;
        }
        let Some((_, shown)) = self.open.get_mut(&id) else { return };
        let (delta, offset) = (text(&event["delta"]), event["offset"].as_u64().unwrap_or(0));
        let skip = usize::try_from(shown.saturating_sub(offset)).unwrap_or(usize::MAX);
        let Some(new) = delta.get(skip..).filter(|new| !new.is_empty()) else { return };
        *shown = offset + delta.len() as u64;
        let thinking = kind == "llm_thinking";
        if self.writing.as_deref() != Some(id.as_str()) {
            self.end_line();
            output::fragment(&format!("{} ", style(if thinking { "…" } else { "»" }).dim()));
            self.writing = Some(id);
        }
        if thinking {
            output::fragment(&style(indented(new)).dim().to_string());
        } else {
            output::fragment(&indented(new));
        }
    }

    fn completed(&mut self, event: &Value) {
        let id = text(&event["event_id"]).to_owned();
        let content = text(&event["content"]);
        let open = self.open.remove(&id);
        if event["event_type"] == "llm_tool_call" {
            self.call_ended(event);
            return;
        }
        if !self.shows_text(text(&event["event_type"])) {
            return;
        }
        // What no chunk brought, because this viewer came late.
        if let Some((_, shown)) = open {
            let shown = usize::try_from(shown).unwrap_or(usize::MAX);
            if let Some(rest) = content.get(shown..).filter(|rest| !rest.is_empty()) {
                output::fragment(&indented(rest));
                self.writing = Some(id);
            }
        }
        self.end_line();
    }

    /// What worked needs no word: the next call of the tool may stand on the same line. Failures of one tool share a line, too.
    fn call_ended(&mut self, event: &Value) {
        let content = text(&event["content"]);
        if self.is_verbose() {
            self.end_line();
            let lines: Vec<&str> = content.lines().collect();
            for line in lines.iter().take(RESULT_LINES) {
                output::line(&format!("    {}", style(line).dim()));
            }
            if lines.len() > RESULT_LINES {
                output::line(&format!("    {} more lines", lines.len() - RESULT_LINES));
            }
        } else if event["status"] != "completed" {
            self.failed(event, &reason(content));
        }
    }

    fn failed(&mut self, event: &Value, reason: &str) {
        let call = &event["metadata"];
        let (server, tool) = (field(text(&call["server_name"])), field(text(&call["tool_name"])));
        let failed = format!("{server}.{tool} {}", field(text(&event["status"])));
        if self.failing.as_ref() == Some(&failed) {
            output::fragment(&format!(" · {}", field(reason)));
            return;
        }
        self.end_line();
        output::fragment(&format!("  {} {failed}: {}", style("!").red(), field(reason)));
        self.failing = Some(failed);
    }

    fn note(&mut self, text: &str) {
        self.end_line();
        output::line(&format!("{} {}", style("·").dim(), indented(text)));
    }

    fn end_line(&mut self) {
        let is_called = self.calling.take().is_some() | self.failing.take().is_some();
        let is_open = self.writing.take().is_some() | is_called;
        if is_open {
            output::line("");
        }
    }
}

pub(super) fn is_terminal(status: &str) -> bool {
    matches!(status, "completed" | "failed" | "timed_out" | "cancelled")
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// What every stage and session goes through, which its end says as well.
fn is_usual(status: &str) -> bool {
    matches!(status, "pending" | "in_progress" | "started" | "active" | "completed")
}

/// Arguments as `name=value`.
fn pairs(arguments: &Value) -> String {
    let Some(named) = arguments.as_object() else { return arguments.to_string() };
    let shown = named.iter().map(|(name, value)| {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        format!("{name}={}", cut(&value, ARGUMENT))
    });
    shown.collect::<Vec<_>>().join(" ")
}

/// What a failed call says, in one line: the message of an error in JSON, else its first line.
fn reason(content: &str) -> String {
    let read: Value = serde_json::from_str(content).unwrap_or_default();
    let places = ["/error/message", "/message", "/error"];
    let message = places.into_iter().find_map(|place| read.pointer(place)?.as_str());
    let first = || content.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    cut(message.unwrap_or_else(first), REASON)
}

fn cut(text: &str, limit: usize) -> String {
    let mut kept: String = text.chars().take(limit).collect();
    if kept.len() < text.len() {
        kept.push('…');
    }
    kept
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_event_is_shown_once_and_the_last_one_ends_the_screen() {
        let mut screen = Screen::default();
        let event = |seq: i64, status: &str| json!({"type": "session.status", "db_event_id": seq, "status": status});
        assert!(!screen.show(&event(1, "in_progress")).unwrap());
        assert!(!screen.show(&event(1, "completed")).unwrap(), "a repeated event is not shown");
        assert!(screen.show(&event(2, "completed")).unwrap());
    }

    #[test]
    fn an_answer_ends_with_its_own_stage() {
        let mut screen = Screen { target: Target::Stage("b".to_owned()), ..Screen::default() };
        let event = |seq: i64, stage: &str, status: &str| json!({"type": "stage.status", "db_event_id": seq, "stage_id": stage, "status": status});
        assert!(!screen.show(&event(1, "a", "completed")).unwrap());
        assert!(!screen.show(&event(2, "b", "active")).unwrap());
        assert!(screen.show(&event(3, "b", "failed")).unwrap());
    }

    #[test]
    fn a_chunk_that_overlaps_is_shown_only_where_it_is_new() {
        let mut screen = Screen { detail: Detail::Everything, ..Screen::default() };
        let created = json!({"type": "timeline_event.created", "db_event_id": 1, "event_id": "e",
            "event_type": "llm_response", "status": "streaming"});
        screen.show(&created).unwrap();
        let chunk = |delta: &str, offset: u64| json!({"type": "stream.chunk", "event_id": "e", "delta": delta, "offset": offset});
        screen.show(&chunk("héllo", 0)).unwrap();
        assert_eq!(screen.open["e"].1, 6);
        screen.show(&chunk("lo wörld", 4)).unwrap();
        assert_eq!(screen.open["e"].1, 13);
    }

    #[test]
    fn calls_of_a_tool_share_a_line_and_so_do_its_failures() {
        let mut screen = Screen::default();
        let mut seq = 0;
        let mut show = |screen: &mut Screen, id: &str, tool: &str, status: &str| {
            seq += 1;
            let kind = if status == "streaming" { "created" } else { "completed" };
            let event = json!({
                "type": format!("timeline_event.{kind}"), "db_event_id": seq, "event_id": id, "status": status,
                "event_type": "llm_tool_call", "content": "no such file",
                "metadata": {"server_name": "host", "tool_name": tool, "arguments": {"path": id}},
            });
            screen.show(&event).unwrap();
        };
        for id in ["a", "b", "c"] {
            show(&mut screen, id, "read", "streaming");
        }
        show(&mut screen, "a", "read", "completed");
        assert_eq!(screen.calling.as_deref(), Some("host.read"), "what worked ends no line");
        show(&mut screen, "b", "read", "failed");
        assert_eq!(screen.calling, None);
        show(&mut screen, "c", "read", "failed");
        assert_eq!(screen.failing.as_deref(), Some("host.read failed"), "one line has both");
        show(&mut screen, "d", "list", "streaming");
        assert_eq!((screen.failing, screen.calling.as_deref()), (None, Some("host.list")));
    }

    #[test]
    fn a_failed_call_has_its_reason_in_one_line() {
        let error =
            "{\n  \"error\": {\"kind\": \"not_found\", \"message\": \"a.log does not exist\"}\n}";
        assert_eq!(reason(error), "a.log does not exist");
        assert_eq!(reason("{\"error\": \"no such pod\"}"), "no such pod");
        assert_eq!(reason("\n  connection refused\nat line 7"), "connection refused");
        assert_eq!(reason(&"é".repeat(200)).chars().count(), REASON + 1);
    }

    #[test]
    fn arguments_are_shown_by_name() {
        let arguments = json!({"path": "/var/log/syslog", "lines": 20});
        assert_eq!(pairs(&arguments), "path=/var/log/syslog lines=20");
        assert_eq!(pairs(&json!({})), "");
        assert_eq!(pairs(&json!("free text")), "\"free text\"");
    }
}
