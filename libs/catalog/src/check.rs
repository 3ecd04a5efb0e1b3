//! What the checks of the structures share: the file, the names that may be referred to, and the problems found.

use crate::doc::Doc;
use crate::env::Env;
use crate::fallback::Fallback;
use crate::path::Path;
use crate::read::Mark;
use crate::report::{Problem, advice};
use crate::rule::{
    AgentName, AlertTypeName, MaskingGroup, MaskingPattern, ProviderName, ServerName, SkillName,
};
use crate::strategy::{LlmBackend, Strategy};
use crate::yaml::Place;

/// The names that references may use, over both layers, the operator's first.
#[derive(Debug, Default)]
pub(crate) struct Names {
    pub(crate) servers: Vec<String>,
    pub(crate) agents: Vec<String>,
    pub(crate) providers: Vec<String>,
    pub(crate) alert_types: Vec<String>,
    pub(crate) skills: Vec<String>,
}

/// A file under check.
pub(crate) struct Check<'a> {
    pub(crate) doc: &'a Doc,
    pub(crate) names: &'a Names,
    pub(crate) env: &'a Env,
    pub(crate) problems: Vec<Problem>,
    pub(crate) warnings: Vec<Problem>,
}

impl<'a> Check<'a> {
    pub(crate) fn new(doc: &'a Doc, names: &'a Names, env: &'a Env) -> Self {
        Self { doc, names, env, problems: Vec::new(), warnings: Vec::new() }
    }

    pub(crate) fn problem(
        &mut self,
        path: &Path,
        message: impl Into<String>,
        suggestion: impl Into<String>,
    ) {
        let suggestion = Some(suggestion.into());
        let problem = self.at(self.doc.place(path), path, message.into(), suggestion);
        self.problems.push(problem);
    }

    /// A problem of the key rather than of its value.
    pub(crate) fn key_problem(&mut self, path: &Path, message: String, suggestion: &str) {
        let suggestion = Some(suggestion.to_owned());
        let problem = self.at(self.doc.key_place(path), path, message, suggestion);
        self.problems.push(problem);
    }

    /// Something that changes nothing, but that the operator wants to be aware of.
    pub(crate) fn warning(&mut self, path: &Path, message: &str, suggestion: &str) {
        let suggestion = Some(suggestion.to_owned());
        let warning = self.at(self.doc.key_place(path), path, message.to_owned(), suggestion);
        self.warnings.push(warning);
    }

    fn at(
        &self,
        place: Place,
        path: &Path,
        message: String,
        suggestion: Option<String>,
    ) -> Problem {
        Problem {
            file: self.doc.file.clone(),
            line: place.line,
            column: place.column,
            key: path.to_string(),
            message,
            suggestion,
        }
    }

    /// Warns of required tools whose server does not exist: nobody has them, and no agent is sent back for them.
    pub(crate) fn required_tools(&mut self, at: &Path, tools: Option<&[String]>) {
        let names = self.names;
        for (index, tool) in tools.unwrap_or_default().iter().enumerate() {
            let Some((server, _)) = tool.split_once('.') else { continue };
            if names.servers.iter().any(|known| known == server) {
                continue;
            }
            let message = format!(
                "unknown MCP server \"{server}\": no agent has this tool, and none is sent back for it"
            );
            let suggestion = advice(server, names.servers.iter().map(String::as_str));
            let path = at.key("required_tools").index(index);
            let warning = self.at(self.doc.place(&path), &path, message, suggestion);
            self.warnings.push(warning);
        }
    }

    pub(crate) fn has_text(&self, path: &Path) -> bool {
        self.doc.has_text(path)
    }

    /// Checks that every reference names something that exists.
    pub(crate) fn references(&mut self, marks: &[Mark]) {
        let names = self.names;
        let groups: Vec<String> = tarsy_masking::known_groups().map(str::to_owned).collect();
        let patterns: Vec<String> = tarsy_masking::known_patterns().map(str::to_owned).collect();
        for mark in marks {
            let known = match mark.name {
                ProviderName::KIND => &names.providers,
                AgentName::KIND => &names.agents,
                ServerName::KIND => &names.servers,
                AlertTypeName::KIND => &names.alert_types,
                SkillName::KIND => &names.skills,
                MaskingGroup::KIND => &groups,
                MaskingPattern::KIND => &patterns,
                _ => continue,
            };
            self.reference(mark, known);
        }
    }

    fn reference(&mut self, mark: &Mark, known: &[String]) {
        if mark.text.is_empty() {
            let suggestion = format!("write the name of one: {}", known.join(", "));
            self.problem(&mark.path, "is empty", suggestion);
        } else if !known.contains(&mark.text) {
            let message = format!("unknown {} \"{}\"", mark.name, mark.text);
            let suggestion = advice(&mark.text, known.iter().map(String::as_str));
            let problem = self.at(self.doc.place(&mark.path), &mark.path, message, suggestion);
            self.problems.push(problem);
        }
    }

    /// Warns of providers that cannot take over: the one that they take over from, and one that is there already. With another
    /// backend it is another way to the same model.
    pub(crate) fn fallbacks(
        &mut self,
        at: &Path,
        entries: Option<&Vec<Fallback>>,
        first: Option<&str>,
    ) {
        let path = at.key("fallback_providers");
        let entries = entries.map(Vec::as_slice).unwrap_or_default();
        for (index, entry) in entries.iter().enumerate() {
            let here = path.index(index);
            let name = &entry.provider;
            if entry.backend.is_none() && first == Some(name) {
                let message = format!("\"{name}\" has no effect: it is llm_provider already");
                self.warning(&here, &message, "remove it here, or name its other `backend`");
            } else if entries.iter().take(index).any(|earlier| earlier == entry) {
                let message = format!("\"{name}\" has no effect: it is named before");
                self.warning(&here, &message, "keep one of them");
            }
        }
    }

    /// Warns of the backend of a provider that nothing names.
    pub(crate) fn summarizer_backend(
        &mut self,
        at: &Path,
        has_provider: bool,
        backend: Option<LlmBackend>,
    ) {
        if backend.is_some() && !has_provider {
            let path = at.key("summarization").key("llm_backend");
            let message =
                "has no effect without a provider beside it: the agent's own writes summaries";
            self.warning(&path, message, "add `llm_provider:`, or remove it");
        }
    }

    /// Checks a backend against the strategy beside it.
    pub(crate) fn backend(
        &mut self,
        at: &Path,
        strategy: Option<Strategy>,
        backend: Option<LlmBackend>,
    ) {
        let (Some(strategy), Some(backend)) = (strategy, backend) else { return };
        if backend.contradicts(strategy) {
            let message = format!("{} does not serve the strategy {strategy}", backend.as_str());
            let suggestion = "remove it, or iteration_strategy beside it";
            self.problem(&at.key("llm_backend"), message, suggestion);
        }
    }
}
