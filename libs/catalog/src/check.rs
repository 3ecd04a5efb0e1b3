//! The rules that go beyond shapes: references, relations between values, things that must compile.

mod chains;
pub(crate) mod credentials;
mod notifications;
mod providers;
mod servers;
mod settings;

use std::collections::{BTreeMap, BTreeSet};

use crate::catalog::Catalog;
use crate::env::Env;
use crate::file::ChainFile;
use crate::load::{Layer, Layers};
use crate::path::{Path, Step};
use crate::report::{Problem, advice};
use crate::tree::{Entry, Kind, Node, Place};

/// A file and where everything in it stands.
pub(crate) struct Doc {
    pub(crate) file: String,
    pub(crate) root: Node,
}

impl Doc {
    /// The place of a value; of the nearest thing around it when it is not written.
    fn place(&self, path: &Path) -> Place {
        self.nearest(path).0.place
    }

    /// Whether a text was written here; a problem of its shape is already known otherwise.
    fn has_text(&self, path: &Path) -> bool {
        let (node, found) = self.nearest(path);
        found && matches!(node.kind, Kind::Scalar { .. }) && !node.is_null()
    }

    /// The places of values that name variables which services with this environment need not have.
    pub(crate) fn open_variables(&self, env: &Env) -> BTreeSet<(usize, usize)> {
        let mut places = BTreeSet::new();
        if !env.checks_tool_secrets() {
            let servers = self.root.get("mcp_servers").map(Node::entries).unwrap_or_default();
            let transports = servers.iter().filter_map(|server| server.value.get("transport"));
            transports.for_each(|transport| transport.variables(&mut places));
        }
        if !env.checks_slack_token() {
            let told = [("notifications", "destinations"), ("system", "slack")];
            let told = told.into_iter().filter_map(|(outer, key)| self.root.get(outer)?.get(key));
            told.for_each(|told| told.variables(&mut places));
        }
        places
    }

    /// The value at a path, or the nearest one around it; and which of the two.
    fn nearest(&self, path: &Path) -> (&Node, bool) {
        let mut node = &self.root;
        for step in path.steps() {
            let next = match (step, &node.kind) {
                (Step::Key(key), Kind::Map(_)) => node.get(key),
                (Step::Index(index), Kind::List(items)) => items.get(*index),
                _ => None,
            };
            match next {
                Some(next) => node = next,
                None => return (node, false),
            }
        }
        (node, true)
    }

    /// The place of the entry's name.
    fn key_place(&self, section: &str, name: &str) -> Place {
        let entries: &[Entry] = self.root.get(section).map(Node::entries).unwrap_or_default();
        entries
            .iter()
            .find(|entry| entry.key == name)
            .map_or_else(|| self.root.place, |entry| entry.place)
    }
}

/// The names that references may use, over both layers.
struct Names<'a> {
    servers: Vec<&'a str>,
    agents: Vec<&'a str>,
    providers: Vec<&'a str>,
    alert_types: BTreeMap<&'a str, &'a str>,
}

impl<'a> Names<'a> {
    fn of(layers: &'a Layers) -> Self {
        let mut alert_types = BTreeMap::new();
        let chains = layers.merged(|layer| layer.tarsy.agent_chains.as_ref());
        for (id, chain, _) in chains {
            for alert_type in chain.alert_types.iter().flatten() {
                alert_types.entry(alert_type.as_str()).or_insert(id);
            }
        }
        let keys = |list: Vec<(&'a str, bool)>| list.into_iter().map(|(name, _)| name).collect();
        Self {
            servers: keys(names(layers.merged(|layer| layer.tarsy.mcp_servers.as_ref()))),
            agents: keys(names(layers.merged(|layer| layer.tarsy.agents.as_ref()))),
            providers: keys(names(layers.merged(|layer| layer.providers.llm_providers.as_ref()))),
            alert_types,
        }
    }
}

fn names<'a, T>(merged: Vec<(&'a str, &'a T, bool)>) -> Vec<(&'a str, bool)> {
    merged.into_iter().map(|(name, _, builtin)| (name, builtin)).collect()
}

/// A file under check.
struct Checker<'a> {
    doc: &'a Doc,
    names: &'a Names<'a>,
    env: &'a Env,
    problems: &'a mut Vec<Problem>,
}

impl Checker<'_> {
    fn problem(&mut self, path: &Path, message: impl Into<String>, fix: impl Into<String>) {
        self.problem_at(self.doc.place(path), path, message.into(), Some(fix.into()));
    }

    fn problem_at(&mut self, place: Place, path: &Path, message: String, fix: Option<String>) {
        self.problems.push(Problem {
            file: self.doc.file.clone(),
            line: place.line,
            column: place.column,
            key: path.to_string(),
            message,
            suggestion: fix,
        });
    }

    fn unknown(&mut self, path: &Path, what: &str, name: &str, known: &[&str]) {
        let place = self.doc.place(path);
        let message = format!("unknown {what} \"{name}\"");
        self.problem_at(place, path, message, advice(name, known.iter().copied()));
    }

    /// A name that must be one of those known, unless it is absent.
    fn reference(&mut self, path: &Path, what: &str, name: Option<&str>, known: &[&str]) {
        let Some(name) = name.filter(|_| self.doc.has_text(path)) else { return };
        if name.is_empty() {
            self.problem(path, "is empty", format!("write the name of one: {}", known.join(", ")));
        } else if !known.contains(&name) {
            self.unknown(path, what, name, known);
        }
    }

    fn agent(&mut self, path: &Path, name: Option<&str>) {
        let names = self.names;
        self.reference(path, "agent", name, &names.agents);
    }

    fn provider(&mut self, path: &Path, name: Option<&str>) {
        let names = self.names;
        self.reference(path, "provider", name, &names.providers);
    }

    /// Providers that take over: known, each once, and not the one that they take over from.
    fn fallbacks(&mut self, at: &Path, names: Option<&Vec<String>>, first: Option<&str>) {
        let path = at.key("fallback_providers");
        let names = names.map(Vec::as_slice).unwrap_or_default();
        for (index, name) in names.iter().enumerate() {
            let here = path.index(index);
            self.provider(&here, Some(name));
            if first == Some(name) {
                let message = format!("\"{name}\" cannot take over from itself");
                self.problem(&here, message, "remove it here: it is llm_provider already");
            } else if names.iter().take(index).any(|earlier| earlier == name) {
                self.problem(&here, format!("\"{name}\" is named twice"), "keep one of them");
            }
        }
    }

    fn servers(&mut self, path: &Path, servers: Option<&Vec<String>>) {
        let names = self.names;
        let servers = servers.map(Vec::as_slice).unwrap_or_default();
        for (index, server) in servers.iter().enumerate() {
            let here = path.index(index);
            self.reference(&here, "server", Some(server), &names.servers);
        }
    }

    /// A value that must be the name of a variable, unless it is absent.
    fn variable(&mut self, path: &Path, name: Option<&str>) {
        let Some(name) = name.filter(|_| self.doc.has_text(path)) else { return };
        let well_formed = !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            && !name.starts_with(|c: char| c.is_ascii_digit());
        if !well_formed || name.len() > 100 {
            // The value may be the secret itself: it is not shown.
            self.problem(
                path,
                "is not the name of a variable",
                "write the name of the environment variable, such as MY_API_KEY, not its value",
            );
        }
    }

    fn positive(&mut self, path: &Path, value: Option<crate::file::Span>) {
        if value.is_some_and(|span| span.0.is_zero()) {
            self.problem(path, "must be more than zero", "write a duration such as 30s or 15m");
        }
    }
}

/// Checks the operator's files against all rules that go beyond their shapes.
pub(crate) fn files(layers: &Layers, env: &Env, problems: &mut Vec<Problem>) {
    let names = Names::of(layers);
    for layer in [&layers.builtin, &layers.user] {
        let mut checker = Checker { doc: &layer.tarsy_doc, names: &names, env, problems };
        checker.settings(&layer.tarsy);
        checker.mcp_servers(layer.tarsy.mcp_servers.as_ref());
        checker.agents(layer.tarsy.agents.as_ref());
        checker.chains(layer.tarsy.agent_chains.as_ref());
        let mut checker = Checker { doc: &layer.providers_doc, names: &names, env, problems };
        checker.llm_providers(layer.providers.llm_providers.as_ref());
    }
    let mut checker = Checker { doc: &layers.user.tarsy_doc, names: &names, env, problems };
    checker.default_alert_type(&layers.user.tarsy);
    if env.checks_llm_credentials() {
        checker.credentials(layers);
    }
}

/// Checks that whoever needs Gemini's own interface has a provider that speaks it.
pub(crate) fn strategies(layers: &Layers, catalog: &Catalog, problems: &mut Vec<Problem>) {
    chains::strategies(layers, catalog, problems);
}

/// The chains of a layer, by name.
fn chains_of(layer: &Layer) -> impl Iterator<Item = (&String, &ChainFile)> {
    layer.tarsy.agent_chains.iter().flatten()
}
