//! All records agree with each other.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, ensure};
use serde_json::Value;

use crate::checks::record_is_whole;
use crate::records::{Records, of, word};
use crate::stack::Stack;
use crate::viewer::Viewer;

/// How the ids of calls begin that TARSy makes by itself.
const OWN_CALL: &str = "tarsy-";

impl Records {
    /// Reads all that is kept of a session, and checks that nothing is open or missing and that the
    /// four records agree.
    pub async fn agreeing(stack: &Stack, session: &str, viewer: &Viewer) -> anyhow::Result<Self> {
        record_is_whole(stack, session, viewer).await?;
        let records = Self::of(stack, session).await?;
        let report = || format!("of the session\n{}", records.report());
        records.events_match_the_timeline(&viewer.seen()).with_context(report)?;
        records.calls_agree().with_context(report)?;
        records.offers_are_published_once().with_context(report)?;
        records.turns_agree().with_context(report)?;
        Ok(records)
    }

    /// Who reads only the events knows the timeline, the stages, the interactions and the end.
    fn events_match_the_timeline(&self, seen: &[Value]) -> anyhow::Result<()> {
        let facts: Vec<&Value> = seen.iter().filter(|one| one["db_event_id"].is_i64()).collect();
        let mut published: BTreeMap<&str, (&Value, &Value)> = BTreeMap::new();
        let mut stages: BTreeMap<&str, &str> = BTreeMap::new();
        let mut interactions = BTreeSet::new();
        let mut status = "";
        for event in facts {
            let id = word(event, "event_id");
            match word(event, "type") {
                "timeline_event.created" => {
                    ensure!(
                        published.insert(id, (event, event)).is_none(),
                        "{id} was created twice"
                    );
                }
                "timeline_event.completed" => {
                    let known = published.get_mut(id).context("completed before it was created")?;
                    ensure!(known.1["status"] == "streaming", "{id} was completed twice: {event}");
                    known.1 = event;
                }
                "stage.status" => {
                    stages.insert(word(event, "stage_id"), word(event, "status"));
                }
                "interaction.created" => {
                    let id = word(event, "interaction_id");
                    ensure!(interactions.insert(id), "the interaction {id} was told twice");
                }
                "session.status" => status = word(event, "status"),
                _ => {}
            }
        }
        ensure!(published.len() == self.timeline.len(), "{} events were told", published.len());
        for event in &self.timeline {
            let (begun, last) =
                published.get(word(event, "id")).context("an event was not told")?;
            for key in ["event_type", "status", "content"] {
                ensure!(last[key] == event[key], "{key}: told {last}, kept {event}");
            }
            for key in ["stage_id", "execution_id", "sequence_number"] {
                ensure!(begun[key] == event[key], "{key}: told {begun}, kept {event}");
            }
        }
        for stage in &self.stages {
            let published = stages.get(word(stage, "id")).context("a stage was not told")?;
            ensure!(*published == word(stage, "status"), "told {published}, kept {stage}");
        }
        ensure!(status == word(&self.detail, "status"), "the last status told was {status}");
        let kept = self.llm.iter().chain(&self.mcp).chain(&self.offers);
        let kept: BTreeSet<&str> = kept.map(|call| word(call, "id")).collect();
        ensure!(interactions == kept, "told {interactions:?}, kept {kept:?}");
        Ok(())
    }

    /// A call of a tool is one interaction, one event, and once answered one message.
    fn calls_agree(&self) -> anyhow::Result<()> {
        let cards =
            self.timeline.iter().filter(|event| event["event_type"] == "llm_tool_call").count();
        ensure!(cards == self.mcp.len(), "{cards} cards, {} calls", self.mcp.len());
        for call in &self.mcp {
            let card = of(&self.timeline, "id", &call["timeline_event_id"]).next();
            let card = card.with_context(|| format!("no card of {call}"))?;
            let answered = matches!(word(call, "status"), "completed" | "failed");
            if !answered {
                continue;
            }
            ensure!(card["status"] == call["status"], "{card} is not the end of {call}");
            ensure!(card["content"] == call["tool_result"], "{card} shows not what {call} says");
            // What TARSy reads of an action is no answer to the model.
            if word(call, "tool_call_id").starts_with(OWN_CALL) {
                continue;
            }
            let published = of(&self.messages, "execution_id", &call["execution_id"])
                .filter(|message| {
                    message["tool_call_id"] == call["tool_call_id"]
                        && message["tool_call_id"].is_string()
                        || word(message, "content").contains(word(call, "tool_result"))
                            && message["role"] == "user"
                })
                .count();
            ensure!(published >= 1, "the model was not told of {call}");
        }
        Ok(())
    }

    /// However many owners an agent had, its record has each server once.
    fn offers_are_published_once(&self) -> anyhow::Result<()> {
        let mut published = BTreeSet::new();
        for offer in &self.offers {
            let of = (word(offer, "execution_id"), word(offer, "server_name"));
            ensure!(published.insert(of), "told twice: {offer}");
        }
        Ok(())
    }

    /// A turn that counts is one interaction, one message, and as a text one event.
    fn turns_agree(&self) -> anyhow::Result<()> {
        for execution in &self.executions {
            let id = &execution["id"];
            let stored: Vec<&str> = of(&self.messages, "execution_id", id)
                .filter(|message| message["role"] == "assistant")
                .map(|message| word(message, "content"))
                .collect();
            let recorded: Vec<&str> = of(&self.llm, "execution_id", id)
                .filter(|call| {
                    call["error_message"].is_null() && call["interaction_type"] != "summarization"
                })
                .filter_map(|call| call["llm_response"]["content"].as_str())
                .collect();
            ensure!(are_same(&stored, &recorded), "{stored:?} was said, {recorded:?} was recorded");
            let shown: Vec<&str> = of(&self.timeline, "execution_id", id)
                .filter(|event| {
                    event["event_type"] == "llm_response" && event["status"] == "completed"
                })
                .map(|event| word(event, "content"))
                .collect();
            let texts: Vec<&str> = stored.into_iter().filter(|text| !text.is_empty()).collect();
            ensure!(are_same(&texts, &shown), "{texts:?} was said, {shown:?} was shown");
        }
        Ok(())
    }
}

/// Whether messages are what a model wrote, if need be with the note that it was cut off.
fn are_same(messages: &[&str], written: &[&str]) -> bool {
    let is_same = |(message, written): (&&str, &&str)| {
        let noted = message.split_once("\n\n[This answer was cut off");
        noted.map_or(message == written, |(text, _)| text == written.trim_end())
    };
    messages.len() == written.len() && messages.iter().zip(written).all(is_same)
}
