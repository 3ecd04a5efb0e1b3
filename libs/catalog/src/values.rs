//! The configuration as it was resolved: every value, and the line that it stands in. Keys that nobody wrote are listed with
//! their defaults. Secrets are left out; of variables the name is listed, not the value.

use std::sync::LazyLock;

use serde_json::Value;

use crate::files::{ProvidersFile, TarsyFile};
use crate::layers::Layers;
use crate::path::Path;
use crate::schema::{default_text, properties, resolve, schema_of, tag_of};
use crate::secrets::{holds_secrets, is_secret};
use crate::yaml::{Entry, Kind, Node, template_names};

/// Characters of a value that are listed.
const MAX_VALUE: usize = 400;

static TARSY: LazyLock<Value> = LazyLock::new(schema_of::<TarsyFile>);
static PROVIDERS: LazyLock<Value> = LazyLock::new(schema_of::<ProvidersFile>);

/// Where a value of the configuration is from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValueSource {
    /// A line, from 1, of an operator's file.
    File { file: String, line: usize },
    /// A line, from 1, of a file that TARSy brings along.
    Builtin { file: String, line: usize },
    /// Nobody wrote it.
    Default,
}

/// One value of the resolved configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigValue {
    /// Such as `agent_chains.kubernetes.stages[0].name`.
    pub path: String,
    /// As it was written, with variables as `{{.NAME}}`, cut after 400 characters; none if it may be a secret.
    pub value: Option<String>,
    /// The variables that it names.
    pub variables: Vec<String>,
    pub source: ValueSource,
}

/// All values of both layers, as `build` joins them; of chains only those that there are.
pub(crate) fn values(layers: &Layers, has_chain: impl Fn(&str) -> bool) -> Vec<ConfigValue> {
    let mut lister = Lister { root: &TARSY, files: [""; 2], values: Vec::new() };
    let (user, builtin) = (&layers.user.tarsy.doc, &layers.builtin.tarsy.doc);
    lister.files = [&user.file, &builtin.file];
    for (name, section) in properties(&TARSY, &TARSY) {
        let exists = |entry: &str| name != "agent_chains" || has_chain(entry);
        lister.section(name, section, [user.root.get(name), builtin.root.get(name)], &exists);
    }
    let (user, builtin) = (&layers.user.providers.doc, &layers.builtin.providers.doc);
    lister.root = &PROVIDERS;
    lister.files = [&user.file, &builtin.file];
    for (name, section) in properties(&PROVIDERS, &PROVIDERS) {
        lister.section(name, section, [user.root.get(name), builtin.root.get(name)], &|_| true);
    }
    lister.values
}

/// The schema of what none describes.
static NOTHING: Value = Value::Null;

/// A value that was written, and the line of its key.
#[derive(Clone, Copy)]
struct Written<'a> {
    node: &'a Node,
    line: usize,
    /// The operator's layer, or the built-in one.
    layer: usize,
}

impl<'a> Written<'a> {
    fn of(entry: &'a Entry, layer: usize) -> Self {
        Self { node: &entry.value, line: entry.place.line, layer }
    }

    fn get(self, key: &str) -> Option<Self> {
        let entry = self.node.entries().iter().find(|entry| entry.key == key)?;
        Some(Self::of(entry, self.layer)).filter(|written| !written.node.is_null())
    }
}

struct Lister<'a> {
    root: &'a Value,
    /// The name of the operator's file, and of the built-in one.
    files: [&'a str; 2],
    values: Vec<ConfigValue>,
}

impl<'a> Lister<'a> {
    /// Entries of a mapping by name replace built-in ones as a whole; of other sections each key does.
    fn section(
        &mut self,
        name: &str,
        schema: &'a Value,
        layers: [Option<&Node>; 2],
        exists: &dyn Fn(&str) -> bool,
    ) {
        let path = Path::root().key(name);
        let section = resolve(self.root, schema);
        let entries =
            |layer: usize| layers.get(layer).copied().flatten().map_or(&[][..], Node::entries);
        let user = |key: &str| entries(0).iter().find(|entry| entry.key == key);
        if let Some(entry) = section.get("additionalProperties").filter(|entry| entry.is_object()) {
            let own = entries(0).iter().map(|one| Written::of(one, 0));
            let rest = entries(1).iter().filter(|one| user(&one.key).is_none());
            let rest = rest.map(|one| Written::of(one, 1));
            let keys =
                entries(0).iter().chain(entries(1).iter().filter(|one| user(&one.key).is_none()));
            for (written, key) in own.chain(rest).zip(keys).filter(|(_, one)| exists(&one.key)) {
                self.list(entry, Some(written), &path.key(&key.key));
            }
            return;
        }
        for (key, property) in properties(self.root, section) {
            let own = user(key).map(|entry| Written::of(entry, 0));
            let other = || entries(1).iter().find(|entry| entry.key == *key);
            let written = own
                .filter(|written| !written.node.is_null())
                .or_else(|| other().map(|entry| Written::of(entry, 1)));
            self.list(property, written, &path.key(key));
        }
    }

    fn list(&mut self, property: &'a Value, written: Option<Written<'_>>, path: &Path) {
        let schema = resolve(self.root, property);
        let Some(written) = written.filter(|written| !written.node.is_null()) else {
            return self.list_default(property, path);
        };
        match &written.node.kind {
            Kind::Scalar { written: text, .. } => self.add(path, text, written),
            Kind::List(items)
                if items.iter().all(|item| matches!(item.kind, Kind::Scalar { .. })) =>
            {
                let texts: Vec<&str> = items.iter().filter_map(text_of).collect();
                self.add(path, &format!("[{}]", texts.join(", ")), written);
            }
            Kind::List(items) => {
                let item_schema = schema.get("items").unwrap_or(&NOTHING);
                for (index, node) in items.iter().enumerate() {
                    let item = Written { node, line: node.place.line, layer: written.layer };
                    self.list(item_schema, Some(item), &path.index(index));
                }
            }
            Kind::Map(entries) => {
                let known = self.keys(schema, written);
                for (key, property) in &known {
                    self.list(property, written.get(key), &path.key(key));
                }
                let rest = schema.get("additionalProperties").unwrap_or(&NOTHING);
                let unknown = |entry: &&Entry| !known.iter().any(|(key, _)| **key == entry.key);
                for entry in entries.iter().filter(unknown) {
                    let one = Written::of(entry, written.layer);
                    self.list(rest, Some(one), &path.key(&entry.key));
                }
            }
        }
    }

    /// The keys of a mapping, with those of the variant that its `type` chooses.
    fn keys(&self, schema: &'a Value, written: Written<'_>) -> Vec<(&'a String, &'a Value)> {
        let tag = written.get("type").and_then(|tag| text_of(tag.node));
        let variants = schema.get("oneOf").and_then(Value::as_array).into_iter().flatten();
        let chosen = variants.filter(|variant| tag.is_some() && tag_of(variant) == tag);
        let mut keys: Vec<_> = properties(self.root, schema).collect();
        for variant in chosen {
            for (key, property) in properties(self.root, variant) {
                if !keys.iter().any(|(known, _)| *known == key) {
                    keys.push((key, property));
                }
            }
        }
        keys
    }

    fn list_default(&mut self, property: &'a Value, path: &Path) {
        let schema = resolve(self.root, property);
        let is_optional = property.get("anyOf").is_some();
        if schema.get("properties").is_some() && !is_optional {
            for (key, property) in properties(self.root, schema) {
                self.list_default(property, &path.key(key));
            }
        } else if let Some(value) = default_text(property) {
            let (path, value) = (path.to_string(), Some(value.replace('`', "")));
            let source = ValueSource::Default;
            self.values.push(ConfigValue { path, value, variables: Vec::new(), source });
        }
    }

    fn add(&mut self, path: &Path, text: &str, written: Written<'_>) {
        let keys: Vec<&str> = path.keys().collect();
        let [.., parent, key] = keys[..] else { return };
        let is_hidden = is_secret(key) || holds_secrets(parent) || key == "args";
        let file = self.files.get(written.layer).copied().unwrap_or_default().to_owned();
        let line = written.line;
        let source = match written.layer {
            0 => ValueSource::File { file, line },
            _ => ValueSource::Builtin { file, line },
        };
        self.values.push(ConfigValue {
            path: path.to_string(),
            value: if is_hidden { None } else { shown(text) },
            variables: template_names(text).into_iter().collect(),
            source,
        });
    }
}

fn text_of(node: &Node) -> Option<&str> {
    match &node.kind {
        Kind::Scalar { written, .. } => Some(written),
        _ => None,
    }
}

/// A value, unless it is an address with a user or a query, which may be secrets.
fn shown(text: &str) -> Option<String> {
    let is_address = text.contains("://") && !text.contains(char::is_whitespace);
    if is_address && text.contains(['@', '?']) {
        return None;
    }
    let cut: String = text.chars().take(MAX_VALUE).collect();
    Some(if cut.len() < text.len() { cut + "…" } else { cut })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::Catalog;
    use crate::env::Env;
    use crate::load::Sources;
    use crate::source::Source;

    fn listed(tarsy: &str) -> Vec<ConfigValue> {
        let source = Source { name: "conf/tarsy.yaml".to_owned(), text: tarsy.to_owned() };
        let sources = Sources { tarsy: Some(source), ..Sources::default() };
        let env = Env::empty().without_tool_secrets().without_slack_token();
        Catalog::load(sources, &env).unwrap().values().to_vec()
    }

    fn find<'a>(values: &'a [ConfigValue], path: &str) -> &'a ConfigValue {
        values
            .iter()
            .find(|one| one.path == path)
            .unwrap_or_else(|| panic!("no {path}: {values:?}"))
    }

    fn line(value: &ConfigValue) -> (&str, usize) {
        match &value.source {
            ValueSource::File { file, line } | ValueSource::Builtin { file, line } => (file, *line),
            ValueSource::Default => ("", 0),
        }
    }

    #[test]
    fn each_value_knows_its_file_and_line() {
        let values = listed(
            "queue:\n  worker_count: 3\nagents:\n  Mine:\n    # a comment\n    custom_instructions: |\n      Look.\n      Think.\n    \
             mcp_servers: [host]\nagent_chains:\n  mine:\n    alert_types: [mine]\n    stages:\n      - name: one\n        \
             agents:\n          - name: Mine\n",
        );
        let workers = find(&values, "queue.worker_count");
        assert_eq!((workers.value.as_deref(), line(workers)), (Some("3"), ("conf/tarsy.yaml", 2)));
        let instructions = find(&values, "agents.Mine.custom_instructions");
        assert_eq!(instructions.value.as_deref(), Some("Look.\nThink.\n"));
        assert_eq!(line(instructions), ("conf/tarsy.yaml", 6));
        let servers = find(&values, "agents.Mine.mcp_servers");
        assert_eq!((servers.value.as_deref(), line(servers).1), (Some("[host]"), 9));
        assert_eq!(line(find(&values, "agent_chains.mine.stages[0].agents[0].name")).1, 16);
    }

    #[test]
    fn what_nobody_wrote_has_its_default_and_what_tarsy_brings_along_its_file() {
        let values = listed("");
        assert!(values.iter().all(|one| !matches!(one.source, ValueSource::File { .. })));
        assert_eq!(find(&values, "queue.worker_count").source, ValueSource::Default);
        let host = find(&values, "mcp_servers.host.transport.type");
        assert_eq!((host.value.as_deref(), line(host).0), (Some("stdio"), "<built-in>/tarsy.yaml"));
        let providers = values.iter().filter(|one| one.path.starts_with("llm_providers."));
        assert!(providers.count() > 5);
        let timeout = find(&values, "mcp_servers.host.transport.call_timeout");
        assert_eq!(timeout.source, ValueSource::Default);
    }

    #[test]
    fn an_entry_replaces_a_built_in_one_as_a_whole() {
        let values = listed(
            "mcp_servers:\n  host:\n    transport:\n      type: http\n      url: http://h:1/mcp\n",
        );
        let of_host: Vec<_> =
            values.iter().filter(|one| one.path.starts_with("mcp_servers.host.")).collect();
        assert!(of_host.iter().all(|one| !matches!(one.source, ValueSource::Builtin { .. })));
        assert!(of_host.iter().all(|one| one.path != "mcp_servers.host.transport.command"));
    }

    #[test]
    fn secrets_are_left_out_and_variables_named() {
        let values = listed(
            "mcp_servers:\n  one:\n    transport:\n      type: http\n      url: https://user:password1@h/mcp\n      \
             bearer_token: \"token1\"\n      custom_headers:\n        X-Key: \"header1 {{.KEY}}\"\n  two:\n    transport:\n      \
             type: stdio\n      command: program\n      args: [\"--token\", \"args1\"]\n      env:\n        A: \"env1\"\n  three:\n    \
             transport:\n      type: http\n      url: \"https://{{.HOST}}/mcp?key=query1\"\n      bearer_token: \"{{.TOKEN}}\"\n",
        );
        let text = format!("{values:?}");
        for secret in ["password1", "token1", "header1", "args1", "env1", "query1"] {
            assert!(!text.contains(secret), "{secret}: {text}");
        }
        let header = find(&values, "mcp_servers.one.transport.custom_headers.X-Key");
        assert_eq!((&header.value, &header.variables[..]), (&None, &["KEY".to_owned()][..]));
        let token = find(&values, "mcp_servers.three.transport.bearer_token");
        assert_eq!((&token.value, &token.variables[..]), (&None, &["TOKEN".to_owned()][..]));
        let program = find(&values, "mcp_servers.two.transport.command");
        assert_eq!(program.value.as_deref(), Some("program"));
    }
}
