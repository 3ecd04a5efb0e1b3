//! What a rule found: a possible cause at an object, with the places that show it.

use crate::facts::{Event, Facts, Field, Message, Record};
use crate::text::code;
use crate::verdict::{Category, Quote, Target};

/// A possible cause.
#[derive(Clone, Debug)]
pub(crate) struct Signal {
    pub(crate) category: Category,
    /// A sentence without its full stop, about the object.
    pub(crate) cause: String,
    pub(crate) target: Target,
    /// From 0 to 100: how much it speaks for being the cause, before closeness to the alert counts.
    pub(crate) weight: f64,
    /// Whether an event of Kubernetes reports it, which stays listed after it is over.
    pub(crate) is_event: bool,
    /// Seconds since it was last seen.
    pub(crate) age: Option<f64>,
    /// Whether one line of a log reports it, and nothing else.
    pub(crate) is_line: bool,
    /// If it may be harmless, or follow from something else: words of the alerts that it can bring about.
    pub(crate) side: Option<&'static [&'static str]>,
    /// What the cause takes from its machine, if it shows itself in the want of that alone.
    pub(crate) takes: Option<Takes>,
    /// The message that the cause is told by, if the cause names nothing of it.
    pub(crate) detail: Option<String>,
    /// The other workload that it accuses: the host of a refused connection.
    pub(crate) accused: Option<String>,
    pub(crate) quotes: Vec<Quote>,
}

/// What the processes of one program take from their machine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Takes {
    /// Percent of one core.
    Processors(f64),
    /// Percent of all memory.
    Memory(f64),
    ProcessIds,
}

impl Signal {
    /// A cause that values show.
    pub(crate) fn of_values(
        (category, weight): (Category, f64),
        cause: impl Into<String>,
        target: Target,
        quotes: Vec<Quote>,
    ) -> Self {
        Self {
            category,
            cause: cause.into(),
            target,
            weight,
            is_event: false,
            age: None,
            is_line: false,
            side: None,
            takes: None,
            detail: None,
            accused: None,
            quotes,
        }
    }

    pub(crate) fn of_record(
        (category, weight): (Category, f64),
        cause: impl Into<String>,
        facts: &Facts,
        record: &Record,
        field: &Field,
    ) -> Self {
        let quotes = vec![record.quote(facts, field)];
        Self {
            category,
            cause: cause.into(),
            target: record.target(),
            weight,
            is_event: false,
            age: None,
            is_line: false,
            side: None,
            takes: None,
            detail: None,
            accused: None,
            quotes,
        }
    }

    pub(crate) fn of_event(
        (category, weight): (Category, f64),
        cause: impl Into<String>,
        facts: &Facts,
        event: &Event,
    ) -> Self {
        let quotes = vec![facts.quote(event.result, event.line, &event.message)];
        let target = event.target.clone();
        Self {
            category,
            cause: cause.into(),
            target,
            weight,
            is_event: true,
            age: event.age,
            is_line: false,
            side: None,
            takes: None,
            detail: None,
            accused: None,
            quotes,
        }
    }

    pub(crate) fn of_message(
        (category, weight): (Category, f64),
        cause: impl Into<String>,
        facts: &Facts,
        message: &Message,
    ) -> Self {
        let quotes = vec![facts.quote(message.result, message.line, &message.text)];
        let target = message.target.clone();
        let age = facts.age(message);
        Self {
            category,
            cause: cause.into(),
            target,
            weight,
            is_event: false,
            age,
            is_line: true,
            side: None,
            takes: None,
            detail: None,
            accused: None,
            quotes,
        }
    }

    /// The cause, with the message that it was read from.
    pub(crate) fn stated(&self) -> String {
        match &self.detail {
            Some(detail) => format!("{}: {}", self.cause, code(detail)),
            None => self.cause.clone(),
        }
    }

    pub(crate) fn with_quote(mut self, quote: Quote) -> Self {
        if !self.quotes.contains(&quote) {
            self.quotes.push(quote);
        }
        self
    }

    pub(crate) fn at(mut self, target: Target) -> Self {
        self.target = target;
        self
    }

    pub(crate) fn accusing(mut self, host: &str) -> Self {
        self.accused = Some(host.to_owned());
        self
    }
}
