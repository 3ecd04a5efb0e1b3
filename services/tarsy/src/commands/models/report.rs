//! What `tarsy models` prints.

use serde::Serialize;
use serde_json::{Value, json};

use super::ask::Server;
use super::lines::{self, Written};
use super::listing::{Kind, Model};
use super::trial::{Outcome, Trial};
use crate::output::{self, Format, Table, Wide, field};

/// The page about all of it.
const PAGE: &str = "docs/local-models.md";
/// Below it little is left for results of tools.
const SMALL_WINDOW: u64 = 16_000;

/// A model, and what came of trying it.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    pub(super) server: String,
    pub(super) kind: Kind,
    pub(super) base_url: String,
    #[serde(flatten)]
    pub(super) model: Model,
    pub(super) tool_calls: Trial,
    pub(super) json_schema: Trial,
    #[serde(skip)]
    pub(super) api_key_env: Option<String>,
}

impl Row {
    pub(super) fn new(server: &Server, kind: Kind, model: Model) -> Self {
        Self {
            server: server.address.clone(),
            kind,
            base_url: server.base_url(),
            model,
            tool_calls: Trial::default(),
            json_schema: Trial::default(),
            api_key_env: None,
        }
    }

    pub(super) fn was_tried(&self) -> bool {
        self.tool_calls.outcome != Outcome::NotTried
    }

    /// The provider's section; none if the context window is unknown or too small.
    fn section(&self) -> Option<String> {
        let window = lines::window(self.model.context_window, self.kind.window_option()).ok()?;
        self.entry(window).section().ok()
    }

    fn window(&self) -> String {
        match (self.model.context_window, self.model.longest_context_window) {
            (Some(now), Some(most)) if most > now => format!("{now} of {most}"),
            (Some(now), _) => now.to_string(),
            (None, Some(most)) => format!("up to {most}"),
            (None, None) => "unknown".to_owned(),
        }
    }

    fn calls(&self) -> &'static str {
        match (self.was_tried(), self.model.stated_tool_calls) {
            (false, Some(true)) => "not tried, stated",
            (false, Some(false)) => "not tried, stated not to",
            _ => self.tool_calls.shown(),
        }
    }

    /// What to do about what does not work.
    fn advice(&self) -> Vec<String> {
        let mut advice = Vec::new();
        let mut add = |text: String| advice.push(format!("{}: {text}", field(&self.model.name)));
        for (what, trial) in [("tool calls", &self.tool_calls), ("JSON schemas", &self.json_schema)]
        {
            if !trial.detail.is_empty() {
                add(format!("{what}: {}", field(&trial.detail)));
            }
        }
        let is_without_calls = self.was_tried() && self.tool_calls.outcome != Outcome::Works;
        if is_without_calls && self.tool_calls.outcome != Outcome::Unanswered {
            add("without tool calls use `iteration_strategy: react`, or start the server with the model's tool parser".to_owned());
        }
        if let Some(window) = self.model.context_window.filter(|window| *window < SMALL_WINDOW) {
            let is_longest = self.model.longest_context_window.is_some_and(|most| most <= window);
            let cure = if is_longest { "choose another model" } else { self.kind.window_option() };
            add(format!("{window} tokens are few for an investigation: {cure}"));
        }
        advice
    }
}

/// Everything that is printed.
#[derive(Debug, Default)]
pub(super) struct Report {
    pub(super) rows: Vec<Row>,
    /// Addresses without a model server, and why.
    pub(super) unanswered: Vec<(String, String)>,
    /// What became of `--write`.
    pub(super) written: Option<Result<Written, String>>,
}

impl Report {
    pub(super) fn print(&self, format: Format) -> anyhow::Result<()> {
        if format.is_json() {
            return output::document(&self.document());
        }
        if self.rows.is_empty() {
            self.print_empty();
        } else {
            self.print_table();
        }
        match &self.written {
            None => {}
            Some(Err(reason)) => output::problem(reason),
            Some(Ok(Written::Known(name))) => {
                output::line(&format!("the configuration has it already, as the provider {name}"));
            }
            Some(Ok(Written::New { file, name, is_default })) => {
                output::line(&format!("wrote the provider {name} into {}", file.display()));
                output::remark("restart TARSy and llm-service to use it");
                if !is_default {
                    output::remark(&format!(
                        "another provider is the default: `defaults.llm_provider: {name}` in tarsy.yaml makes it this one"
                    ));
                }
            }
        }
        Ok(())
    }

    fn print_empty(&self) {
        output::problem("no model server answers:");
        for (address, reason) in &self.unanswered {
            output::remark(&format!("  {}: {}", field(address), field(reason)));
        }
        output::remark(&format!(
            "start Ollama, llama.cpp, vLLM or LM Studio, or name the address of one: `tarsy models http://127.0.0.1:9000`; see {PAGE}"
        ));
    }

    fn print_table(&self) {
        let header = ["SERVER", "MODEL", "CONTEXT WINDOW", "TOOL CALLS", "JSON SCHEMAS"];
        let mut table = Table::new(header);
        for row in &self.rows {
            table.add([
                format!("{} {}", row.kind.title(), row.server),
                row.model.name.clone(),
                row.window(),
                row.calls().to_owned(),
                row.json_schema.shown().to_owned(),
            ]);
        }
        table.print(Wide::Wrapped);
        for advice in self.rows.iter().flat_map(Row::advice) {
            output::remark(&advice);
        }
        if self.rows.iter().any(|row| !row.was_tried()) {
            output::remark("models that are not in memory are tried with --model NAME");
        }
        if self.written.is_none() && self.rows.iter().any(Row::was_tried) {
            output::remark(&format!("--write adds a provider to llm-providers.yaml; see {PAGE}"));
        }
    }

    fn document(&self) -> Value {
        let models = self.rows.iter().map(|row| {
            let mut model = json!(row);
            if let Some(model) = model.as_object_mut() {
                model.insert("provider_lines".to_owned(), json!(row.section()));
            }
            model
        });
        let unanswered = self.unanswered.iter();
        json!({
            "models": models.collect::<Vec<_>>(),
            "without_models": unanswered.map(|(server, reason)| json!({ "server": server, "reason": reason })).collect::<Vec<_>>(),
            "written": match &self.written {
                Some(Ok(Written::New { file, name, .. })) => json!({ "provider": name, "file": file }),
                Some(Ok(Written::Known(name))) => json!({ "provider": name, "file": null }),
                _ => Value::Null,
            },
            "error": self.written.as_ref().and_then(|written| written.as_ref().err()),
        })
    }
}
