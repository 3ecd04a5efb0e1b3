//! The JSON Schema of the files, generated from their structures.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value, json};

use crate::files::{ProvidersFile, TarsyFile};
use crate::notifications::Target;
use crate::server::Endpoint;

/// The JSON Schema of both files, for editors: `tarsy.yaml` and `llm-providers.yaml` below `$defs`.
pub fn schema_json() -> Value {
    let mut defs = Map::new();
    for (name, mut schema) in [
        ("tarsy.yaml", schema_of::<TarsyFile>()),
        ("llm-providers.yaml", schema_of::<ProvidersFile>()),
    ] {
        let inner = schema.get_mut("$defs").and_then(Value::as_object_mut).map(std::mem::take);
        defs.extend(inner.unwrap_or_default());
        if let Some(object) = schema.as_object_mut() {
            object.shift_remove("$defs");
            object.shift_remove("$schema");
            object.insert("patternProperties".to_owned(), json!({ "^(x-|\\.|_)": true }));
        }
        defs.insert(name.to_owned(), schema);
    }
    defs.values_mut().for_each(allow_null);
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "TARSy configuration",
        "description": "A file is either tarsy.yaml or llm-providers.yaml.",
        "anyOf": [
            { "$ref": "#/$defs/tarsy.yaml" },
            { "$ref": "#/$defs/llm-providers.yaml" },
        ],
        "$defs": defs,
    })
}

/// The schema of one structure, with `$defs` of its own.
pub(crate) fn schema_of<T: JsonSchema>() -> Value {
    let generator: SchemaGenerator = SchemaSettings::draft2020_12().into_generator();
    generator.into_root_schema_for::<T>().to_value()
}

/// The tag of the variant that has a key, of the enumeration with this name.
pub(crate) fn variant_with(of: &str, key: &str) -> Option<String> {
    let schema = enumeration(of)?;
    let mut variants = schema.get("oneOf")?.as_array()?.iter();
    let variant =
        variants.find(|variant| properties(&schema, variant).any(|(name, _)| name == key))?;
    Some(tag_of(variant)?.to_owned())
}

/// The description of a key that a variant has, of the enumeration with this name.
pub(crate) fn variant_description(of: &str, key: &str) -> Option<String> {
    let schema = enumeration(of)?;
    let mut variants = schema.get("oneOf")?.as_array()?.iter();
    let property =
        variants.find_map(|variant| properties(&schema, variant).find(|(name, _)| *name == key))?.1;
    let text = property.get("description")?.as_str()?.replace('\n', " ");
    let mut chars = text.chars();
    // It continues a sentence.
    let first = chars.next()?.to_lowercase().to_string();
    Some(first + chars.as_str())
}

fn enumeration(of: &str) -> Option<Value> {
    match of {
        "server" => Some(schema_of::<Endpoint>()),
        "destination" => Some(schema_of::<Target>()),
        _ => None,
    }
}

/// The value of `type` that chooses a variant.
pub(crate) fn tag_of(variant: &Value) -> Option<&str> {
    variant.pointer("/properties/type/const")?.as_str()
}

/// What a schema refers to, if it refers to something.
pub(crate) fn follow<'a>(root: &'a Value, schema: &'a Value) -> Option<&'a Value> {
    let pointer = schema.get("$ref")?.as_str()?.strip_prefix('#')?;
    root.pointer(pointer)
}

/// The properties of a schema, and of what it refers to.
pub(crate) fn properties<'a>(
    root: &'a Value,
    schema: &'a Value,
) -> impl Iterator<Item = (&'a String, &'a Value)> {
    let of = |schema: &'a Value| schema.get("properties").and_then(Value::as_object);
    let own = of(schema).into_iter().flatten();
    own.chain(follow(root, schema).and_then(of).into_iter().flatten())
}

/// The schema behind references and optional values, unless it is a variant's own.
pub(crate) fn resolve<'a>(root: &'a Value, mut schema: &'a Value) -> &'a Value {
    loop {
        let has_properties = schema.get("properties").is_some();
        let target = follow(root, schema).filter(|_| !has_properties);
        let optional = schema.get("anyOf").and_then(Value::as_array);
        let inner =
            optional.and_then(|all| all.iter().find(|one| one.get("type") != Some(&"null".into())));
        match target.or(inner) {
            Some(next) => schema = next,
            None => return schema,
        }
    }
}

/// The default of a key, as the reference page shows it.
pub(crate) fn default_text(property: &Value) -> Option<String> {
    let text = property.get("x-default").and_then(Value::as_str).map(str::to_owned);
    text.or_else(|| property.get("default").and_then(shown))
}

/// A default as a file has it.
fn shown(default: &Value) -> Option<String> {
    match default {
        Value::Null => None,
        Value::String(text) if text.is_empty() => None,
        Value::String(text) => Some(format!("`{text}`")),
        Value::Array(items) => {
            let items: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
            Some(format!("`[{}]`", items.join(", ")))
        }
        other => Some(format!("`{other}`")),
    }
}

/// A key without a value is absent, so that keys that are not required may be null.
fn allow_null(schema: &mut Value) {
    let required: Vec<String> = schema
        .get("required")
        .and_then(Value::as_array)
        .map(|names| names.iter().filter_map(Value::as_str).map(str::to_owned).collect())
        .unwrap_or_default();
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    for (name, property) in properties.into_iter().flatten() {
        if !required.contains(name) {
            or_null(property);
        }
    }
    for variant in schema.get_mut("oneOf").and_then(Value::as_array_mut).into_iter().flatten() {
        allow_null(variant);
    }
}

fn or_null(property: &mut Value) {
    let Some(object) = property.as_object_mut() else { return };
    if object.get("default").is_some_and(Value::is_null) {
        object.shift_remove("default");
    }
    let is_optional = object.contains_key("anyOf");
    match object.get_mut("type") {
        Some(Value::String(name)) => {
            let name = std::mem::take(name);
            object.insert("type".to_owned(), json!([name, "null"]));
        }
        Some(Value::Array(names)) if !names.contains(&json!("null")) => names.push(json!("null")),
        Some(_) => {}
        None if is_optional => {}
        None => {
            let notes = ["description", "default", "x-default", "x-folded", "deprecated"];
            let notes: Map<String, Value> = notes
                .into_iter()
                .filter_map(|note| Some((note.to_owned(), object.shift_remove(note)?)))
                .collect();
            let inner = Value::Object(std::mem::take(object));
            object.insert("anyOf".to_owned(), json!([inner, { "type": "null" }]));
            object.extend(notes);
        }
    }
}
