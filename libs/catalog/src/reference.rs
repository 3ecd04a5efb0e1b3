//! The tables of the reference page `docs/configuration.md`, generated from the structures of the files.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::Value;

use crate::files::{ProvidersFile, TarsyFile};
use crate::schema::{default_text, follow, properties, resolve, schema_of, tag_of};

/// Begins and ends a generated part of the page; the name of the part is between.
const BEGIN: &str = "<!-- generated: ";
const BEGIN_CLOSE: &str = " -->\n";
const END: &str = "<!-- end -->";

/// The part with the keys that most files have, and these keys by section, as the page calls it.
const ESSENTIALS: &str = "essentials";
const ESSENTIAL_KEYS: [(&str, &str, &[&str]); 8] = [
    (
        "llm_providers",
        "llm_providers.NAME",
        &["type", "model", "api_key_env", "base_url", "context_window_tokens"],
    ),
    ("defaults", "defaults", &["llm_provider"]),
    (
        "mcp_servers",
        "mcp_servers.ID",
        &[
            "transport.type",
            "transport.url",
            "transport.bearer_token",
            "instructions",
            "policy.read_only",
        ],
    ),
    ("agents", "agents.NAME", &["mcp_servers", "custom_instructions"]),
    ("agent_chains", "agent_chains.ID", &["alert_types", "stages[].agents[].name", "chat"]),
    ("system", "system", &["dashboard_url", "access.mode"]),
    ("intake", "intake", &["sources.NAME.kind"]),
    ("notifications", "notifications", &["destinations.NAME.type"]),
];

/// The page with its generated parts renewed.
pub fn renew_reference(page: &str) -> String {
    let names = page.split(BEGIN).skip(1).filter_map(|after| after.split_once(BEGIN_CLOSE));
    let roots = [schema_of::<TarsyFile>(), schema_of::<ProvidersFile>()];
    let mut shown = Shown::default();
    let mut parts: BTreeMap<&str, String> = BTreeMap::new();
    for (name, _) in names.filter(|(name, _)| *name != ESSENTIALS) {
        parts.insert(name, part(name, &roots, &mut shown));
    }
    parts.insert(ESSENTIALS, essentials(&parts));
    let (mut out, mut rest) = (String::with_capacity(page.len()), page);
    while let Some((before, after)) = rest.split_once(BEGIN) {
        let Some((name, body)) = after.split_once(BEGIN_CLOSE) else { break };
        let Some((_, after)) = body.split_once(END) else { break };
        let text = parts.get(name).map_or("", String::as_str);
        let _ = write!(out, "{before}{BEGIN}{name}{BEGIN_CLOSE}\n{text}\n{END}");
        rest = after;
    }
    out.push_str(rest);
    out
}

fn part<'a>(name: &str, roots: &'a [Value], shown: &mut Shown<'a>) -> String {
    if name == "masking" {
        return masking();
    }
    let found = roots.iter().find_map(|root| {
        let (_, section) = properties(root, root).find(|(key, _)| *key == name)?;
        Some((root, section))
    });
    let Some((root, section)) = found else {
        return format!("There is no section {name}.\n");
    };
    let title = ESSENTIAL_KEYS.iter().find(|(section, ..)| *section == name);
    let title = title.map_or_else(|| name.to_owned(), |(_, title, _)| (*title).to_owned());
    let mut table = Table { root, title, shown, rows: String::new() };
    let entry = section.get("additionalProperties").filter(|entry| entry.is_object());
    table.add_all(entry.unwrap_or(section), "", None);
    format!("| key | default | meaning |\n|---|---|---|\n{}", table.rows)
}

/// The rows of the keys that most files have, without details and lists of names.
fn essentials(parts: &BTreeMap<&str, String>) -> String {
    let mut out = String::from("| key | meaning |\n|---|---|\n");
    for (section, title, keys) in ESSENTIAL_KEYS {
        for key in keys {
            let cell = format!("| `{key}` | ");
            let mut rows = parts.get(section).into_iter().flat_map(|part| part.lines());
            let meaning = rows
                .find_map(|row| row.strip_prefix(&cell)?.split_once(" | "))
                .map_or("", |(_, meaning)| meaning.trim_end_matches(" |"));
            let meaning = meaning.split(';').next().and_then(|part| part.split(" (`").next());
            let meaning = meaning.unwrap_or_default();
            let _ = writeln!(out, "| `{title}.{key}` | {meaning} |");
        }
    }
    out
}

fn masking() -> String {
    let members = |group: &str| -> Vec<&str> {
        tarsy_masking::group_members(group).into_iter().flatten().collect()
    };
    let groups: Vec<&str> = tarsy_masking::known_groups().filter(|group| *group != "all").collect();
    let mut out = String::from("| group | patterns |\n|---|---|\n");
    for group in &groups {
        let _ = writeln!(out, "| `{group}` | `{}` |", members(group).join("`, `"));
    }
    let grouped: Vec<&str> = groups.iter().flat_map(|group| members(group)).collect();
    let others = tarsy_masking::known_patterns().filter(|pattern| !grouped.contains(pattern));
    let others: Vec<&str> = others.collect();
    let _ = writeln!(out, "| `all` | all of these, and `{}` |", others.join("`, `"));
    out
}

/// What the page has explained, and where: mappings and enumerations that come again refer to it.
#[derive(Default)]
struct Shown<'a>(Vec<(&'a Value, String)>);

impl<'a> Shown<'a> {
    /// Where this schema stands already; otherwise it stands here from now on.
    fn place(&mut self, schema: &'a Value, here: &str) -> Option<String> {
        let found = self.0.iter().find(|(shown, _)| *shown == schema);
        if let Some((_, place)) = found {
            return Some(place.clone());
        }
        self.0.push((schema, here.to_owned()));
        None
    }
}

/// How a key stands in the table.
#[derive(Clone, Copy)]
struct Mode<'m> {
    is_required: bool,
    /// The variant that it belongs to.
    only: Option<&'m str>,
}

struct Table<'p, 'a> {
    root: &'a Value,
    /// What the page calls the section.
    title: String,
    shown: &'p mut Shown<'a>,
    rows: String,
}

impl<'a> Table<'_, 'a> {
    /// Adds the keys of a mapping; `only` names the variant that they belong to.
    fn add_all(&mut self, schema: &'a Value, prefix: &str, only: Option<&str>) {
        let schema = resolve(self.root, schema);
        let required: Vec<&str> = [Some(schema), follow(self.root, schema)]
            .into_iter()
            .flatten()
            .filter_map(|schema| schema.get("required")?.as_array())
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let variants = schema.get("oneOf").and_then(Value::as_array);
        let variants: Vec<&Value> = variants.into_iter().flatten().collect();
        if !variants.is_empty() {
            let tags: Vec<String> = variants
                .iter()
                .filter_map(|one| tag_of(one))
                .map(|tag| format!("`{tag}`"))
                .collect();
            let _ = writeln!(self.rows, "| `{prefix}type` | required | {} |", tags.join(", "));
            self.add_variants(&variants, prefix);
        }
        let root = self.root;
        let shown = properties(root, schema).filter(|(_, one)| one.get("x-folded").is_none());
        for (name, property) in shown {
            if name != "type" || variants.is_empty() && only.is_none() {
                let is_required = required.contains(&name.as_str());
                self.add(&format!("{prefix}{name}"), property, Mode { is_required, only });
            }
        }
    }

    /// Adds the keys of variants, once for variants with the same keys.
    fn add_variants(&mut self, variants: &[&'a Value], prefix: &str) {
        let mut done: Vec<&str> = Vec::new();
        for variant in variants {
            let Some(target) = variant.get("$ref").and_then(Value::as_str) else { continue };
            if done.contains(&target) {
                continue;
            }
            done.push(target);
            let same = variants
                .iter()
                .filter(|other| other.get("$ref").and_then(Value::as_str) == Some(target));
            let tags: Vec<&str> = same.filter_map(|variant| tag_of(variant)).collect();
            self.add_all(variant, prefix, Some(&tags.join(", ")));
        }
    }

    fn add(&mut self, key: &str, property: &'a Value, mode: Mode<'_>) {
        let schema = resolve(self.root, property);
        let item = schema.get("items").map(|item| resolve(self.root, item));
        let entry = schema.get("additionalProperties").map(|entry| resolve(self.root, entry));
        let below = [(item, "[]"), (entry, ".NAME"), (Some(schema), "")];
        let below = below
            .into_iter()
            .find_map(|(inner, suffix)| Some((inner.filter(|inner| is_mapping(inner))?, suffix)));
        let Some((mapping, suffix)) = below else {
            return self.row(key, property, mode, None);
        };
        let place = format!("{key}{suffix}");
        if let Some(note) = self.elsewhere(&place, property, mapping) {
            return self.row(key, property, mode, Some(&note));
        }
        if suffix == "[]" || suffix.is_empty() && property.get("anyOf").is_some() {
            self.row(key, property, mode, None);
        }
        self.add_all(mapping, &format!("{place}."), mode.only);
    }

    /// What stands in place of the keys of a mapping that others explain, or that have no effect.
    fn elsewhere(&mut self, place: &str, property: &Value, mapping: &'a Value) -> Option<String> {
        if let Some(other) = property.get("x-as").and_then(Value::as_str) {
            return Some(format!("as `{other}`, key by key"));
        }
        if description(property).starts_with("Without effect") {
            let keys = properties(self.root, mapping).map(|(key, _)| format!("`{key}`"));
            return Some(keys.collect::<Vec<_>>().join(", "));
        }
        let is_long = mapping.get("oneOf").is_none() && properties(self.root, mapping).count() > 1;
        let first = is_long.then(|| self.shown.place(mapping, &format!("{}.{place}", self.title)));
        first.flatten().map(|first| format!("as `{first}`"))
    }

    fn row(&mut self, key: &str, property: &'a Value, mode: Mode<'_>, note: Option<&str>) {
        let default = match default_text(property) {
            _ if mode.is_required => "required".to_owned(),
            Some(text) => text,
            None => String::new(),
        };
        let described = description(property).replace('\n', " ");
        let mut meaning = mode.only.map(|only| format!("{only}: ")).unwrap_or_default();
        meaning.push_str(&described);
        if let Some(note) = note {
            let separator = if described.is_empty() { "" } else { "; " };
            let _ = write!(meaning, "{separator}{note}");
        } else if let Some(range) = self.range(key, property, &described) {
            let _ = write!(meaning, " ({range})");
        }
        let _ = writeln!(self.rows, "| `{key}` | {default} | {meaning} |");
    }

    /// What a key accepts, in words or signs. A long list of names stands on the page once.
    fn range(&mut self, key: &str, property: &'a Value, described: &str) -> Option<String> {
        let schema = resolve(self.root, property);
        let names = names(schema);
        if names.is_empty() {
            return range(schema);
        }
        match self.shown.place(schema, &format!("{}.{key}", self.title)) {
            Some(_) if described.contains("ee *") => None,
            Some(place) if names.len() > 2 => Some(format!("as `{place}`")),
            _ => Some(names.join(", ")),
        }
    }
}

fn description(property: &Value) -> &str {
    property.get("description").and_then(Value::as_str).unwrap_or_default()
}

fn is_mapping(schema: &Value) -> bool {
    schema.get("properties").is_some()
}

/// The bounds of a value.
fn range(schema: &Value) -> Option<String> {
    if let Some(range) = schema.get("x-range").and_then(Value::as_str) {
        return Some(range.replace("more than ", ">").replace("at most ", "≤"));
    }
    if schema.get("minItems").is_some() {
        return Some("at least one".to_owned());
    }
    let bound = |name: &str| schema.get(name).and_then(Value::as_u64);
    match (bound("minimum"), bound("maximum")) {
        (Some(least), Some(most)) => Some(format!("{least}–{most}")),
        (Some(0), None) => None,
        (Some(least), None) => Some(format!("≥{least}")),
        _ => None,
    }
}

/// The names that an enumeration allows.
fn names(schema: &Value) -> Vec<String> {
    let plain = schema.get("enum").and_then(Value::as_array).into_iter().flatten();
    let documented = schema.get("oneOf").and_then(Value::as_array).into_iter().flatten();
    plain
        .chain(documented.filter_map(|variant| variant.get("const")))
        .filter_map(Value::as_str)
        .map(|name| if name.is_empty() { "`\"\"`".to_owned() } else { format!("`{name}`") })
        .collect()
}
