//! The tables of the reference page `docs/configuration.md`, generated from the structures of the files.

use std::fmt::Write as _;

use serde_json::Value;

use crate::files::{ProvidersFile, TarsyFile};
use crate::schema::{default_text, follow, properties, resolve, schema_of, tag_of};

/// Begins and ends a generated part of the page; the name of the part is between.
const BEGIN: &str = "<!-- generated: ";
const BEGIN_CLOSE: &str = " -->\n";
const END: &str = "<!-- end -->";

/// The page with its generated parts renewed.
pub fn renew_reference(page: &str) -> String {
    let (mut out, mut rest) = (String::with_capacity(page.len()), page);
    while let Some((before, after)) = rest.split_once(BEGIN) {
        let Some((name, body)) = after.split_once(BEGIN_CLOSE) else { break };
        let Some((_, after)) = body.split_once(END) else { break };
        let _ = write!(out, "{before}{BEGIN}{name}{BEGIN_CLOSE}\n{}\n{END}", part(name));
        rest = after;
    }
    out.push_str(rest);
    out
}

fn part(name: &str) -> String {
    if name == "masking" {
        return masking();
    }
    let (tarsy, providers) = (schema_of::<TarsyFile>(), schema_of::<ProvidersFile>());
    let found = [&tarsy, &providers].into_iter().find_map(|root| {
        let (_, section) = properties(root, root).find(|(key, _)| *key == name)?;
        Some((root, section))
    });
    let Some((root, section)) = found else {
        return format!("There is no section {name}.\n");
    };
    let mut table = Table { root, rows: String::new() };
    let entry = section.get("additionalProperties").filter(|entry| entry.is_object());
    table.add_all(entry.unwrap_or(section), "", None);
    format!("| key | default | meaning |\n|---|---|---|\n{}", table.rows)
}

fn masking() -> String {
    let mut out = String::from("| pattern | groups beside `all` |\n|---|---|\n");
    for pattern in tarsy_masking::known_patterns() {
        let groups: Vec<String> = tarsy_masking::known_groups()
            .filter(|group| *group != "all")
            .filter(|group| {
                tarsy_masking::group_members(group)
                    .is_some_and(|mut members| members.any(|member| member == pattern))
            })
            .map(|group| format!("`{group}`"))
            .collect();
        let _ = writeln!(out, "| `{pattern}` | {} |", groups.join(", "));
    }
    out
}

struct Table<'a> {
    root: &'a Value,
    rows: String,
}

impl<'a> Table<'a> {
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
        for (name, property) in properties(root, schema) {
            if name != "type" || variants.is_empty() && only.is_none() {
                let is_required = required.contains(&name.as_str());
                self.add(&format!("{prefix}{name}"), property, is_required, only);
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

    fn add(&mut self, key: &str, property: &'a Value, is_required: bool, only: Option<&str>) {
        let schema = resolve(self.root, property);
        let entry = schema.get("additionalProperties").map(|entry| resolve(self.root, entry));
        if let Some(entry) = entry.filter(|entry| is_mapping(entry)) {
            return self.add_all(entry, &format!("{key}.NAME."), only);
        }
        let item = schema.get("items").map(|item| resolve(self.root, item));
        let is_list = item.is_some_and(is_mapping);
        if !is_mapping(schema) || is_list || property.get("anyOf").is_some() {
            self.row(key, property, is_required, only);
        }
        if is_list {
            self.add_all(item.unwrap_or(schema), &format!("{key}[]."), only);
        } else if is_mapping(schema) {
            self.add_all(schema, &format!("{key}."), only);
        }
    }

    fn row(&mut self, key: &str, property: &Value, is_required: bool, only: Option<&str>) {
        let schema = resolve(self.root, property);
        let default = match default_text(property) {
            _ if is_required => "required".to_owned(),
            Some(text) => text,
            None => "–".to_owned(),
        };
        let description = property.get("description").and_then(Value::as_str).unwrap_or_default();
        let mut meaning = only.map(|only| format!("{only}: ")).unwrap_or_default();
        meaning.push_str(&description.replace('\n', " "));
        if let Some(range) = range(schema) {
            let _ = write!(meaning, " ({range})");
        }
        let _ = writeln!(self.rows, "| `{key}` | {default} | {meaning} |");
    }
}

fn is_mapping(schema: &Value) -> bool {
    schema.get("properties").is_some()
}

/// What a schema accepts, in words.
fn range(schema: &Value) -> Option<String> {
    if let Some(range) = schema.get("x-range").and_then(Value::as_str) {
        return Some(range.to_owned());
    }
    let names = names(schema);
    if !names.is_empty() {
        return Some(names.join(", "));
    }
    if schema.get("minItems").is_some() {
        return Some("at least one".to_owned());
    }
    let bound = |name: &str| schema.get(name).and_then(Value::as_u64);
    match (bound("minimum"), bound("maximum")) {
        (Some(least), Some(most)) => Some(format!("{least} to {most}")),
        (Some(least), None) => Some(format!("at least {least}")),
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
