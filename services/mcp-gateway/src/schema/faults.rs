//! The messages about invalid arguments and results.

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::paths::{Location, LocationSegment};
use jsonschema::{JsonType, ValidationError, Validator};
use serde_json::{Map, Value};

/// The most characters of a quoted value, and the most choices in a message.
const QUOTED_CHARS: usize = 60;
const LISTED_CHOICES: usize = 20;
/// The similarity of two names from which one is suggested for the other.
const SIMILARITY: f64 = 0.75;

/// What is validated.
#[derive(Clone, Copy)]
pub(crate) enum Subject {
    /// Written by a model, which may read its values again.
    Arguments,
    /// Written by a server. Its values are not quoted: masking does not recognise a part of a secret.
    Result,
}

impl Subject {
    const fn part(self) -> &'static str {
        match self {
            Self::Arguments => "parameter",
            Self::Result => "field",
        }
    }

    fn describe(self, value: &Value) -> String {
        match self {
            Self::Arguments => quote(value),
            Self::Result => kind_of(value).to_owned(),
        }
    }
}

/// The faults of a value, at most `limit`: missing properties first, then unknown ones. `validator` was
/// compiled from `schema`.
pub(super) fn list(
    schema: &Value,
    validator: &Validator,
    value: &Value,
    subject: Subject,
    limit: usize,
) -> Vec<String> {
    let describer = Describer { schema, subject };
    let mut errors: Vec<ValidationError<'_>> = validator.iter_errors(value).collect();
    errors.sort_by_key(|error| match error.kind() {
        ValidationErrorKind::Required { .. } => 0,
        ValidationErrorKind::AdditionalProperties { .. } => 1,
        _ => 2,
    });
    errors.iter().flat_map(|error| describer.faults(error)).take(limit).collect()
}

struct Describer<'a> {
    schema: &'a Value,
    subject: Subject,
}

impl Describer<'_> {
    fn faults(&self, error: &ValidationError<'_>) -> Vec<String> {
        let path = path_of(error.instance_path());
        let fault = |requirement: String| {
            let place = if path.is_empty() { "it".to_owned() } else { format!("`{path}`") };
            vec![format!("{place} {requirement}")]
        };
        match error.kind() {
            ValidationErrorKind::AnyOf { context }
            | ValidationErrorKind::OneOfNotValid { context } => self.nearest(context),
            ValidationErrorKind::AdditionalProperties { unexpected } => {
                let unknown = |name: &String| self.unknown_property(error, &path, name);
                unexpected.iter().map(unknown).collect()
            }
            ValidationErrorKind::Required { property } => {
                let name = property.as_str().unwrap_or_default();
                vec![format!("`{}` is missing", join(&path, name))]
            }
            kind => self.requirement(kind, error.instance()).map(fault).unwrap_or_default(),
        }
    }

    /// The faults of the alternative with the fewest.
    fn nearest(&self, alternatives: &[Vec<ValidationError<'static>>]) -> Vec<String> {
        let faults = |errors: &Vec<ValidationError<'static>>| -> Vec<String> {
            errors.iter().flat_map(|error| self.faults(error)).collect()
        };
        alternatives.iter().map(faults).min_by_key(Vec::len).unwrap_or_default()
    }

    fn unknown_property(&self, error: &ValidationError<'_>, path: &str, name: &str) -> String {
        let (part, full_name) = (self.subject.part(), join(path, name));
        let keyword = error.schema_path().as_str();
        let known = keyword
            .rsplit_once('/')
            .and_then(|(parent, _)| self.schema.pointer(parent))
            .and_then(|parent| parent.get("properties")?.as_object());
        match suggestion(name, known.into_iter().flat_map(Map::keys)) {
            Some(meant) => format!("there is no {part} `{full_name}`, did you mean `{meant}`?"),
            None => format!("there is no {part} `{full_name}`"),
        }
    }

    /// What a value has to be; none for errors that are not faults of the value, and for
    /// `OneOfMultipleValid`: a model cannot fix that, and servers rarely enforce it.
    fn requirement(&self, kind: &ValidationErrorKind, value: &Value) -> Option<String> {
        let given = || self.subject.describe(value);
        Some(match kind {
            ValidationErrorKind::Type { kind } => {
                format!("must be of type {}, not {}", types(kind), given())
            }
            ValidationErrorKind::Constant { expected_value } => {
                format!("must be {}, not {}", quote(expected_value), given())
            }
            ValidationErrorKind::Enum { options } => {
                format!("must be one of {}, not {}", choices(options), given())
            }
            ValidationErrorKind::Pattern { pattern } => {
                format!("must match {pattern}, which {} does not", given())
            }
            ValidationErrorKind::FalseSchema => "may not be there".to_owned(),
            ValidationErrorKind::Not { .. } => "is excluded by the schema".to_owned(),
            ValidationErrorKind::UniqueItems => "must not contain an item twice".to_owned(),
            ValidationErrorKind::Contains => "lacks a required item".to_owned(),
            ValidationErrorKind::AdditionalItems { limit } => {
                format!("must have at most {limit} items")
            }
            ValidationErrorKind::PropertyNames { .. } => "has an invalid name".to_owned(),
            ValidationErrorKind::MultipleOf { multiple_of } => {
                format!("must be a multiple of {multiple_of}")
            }
            other => size(other).or_else(|| self.bound(other, value))?,
        })
    }

    fn bound(&self, kind: &ValidationErrorKind, value: &Value) -> Option<String> {
        let (words, limit) = match kind {
            ValidationErrorKind::Minimum { limit } => ("at least", limit),
            ValidationErrorKind::Maximum { limit } => ("at most", limit),
            ValidationErrorKind::ExclusiveMinimum { limit } => ("more than", limit),
            ValidationErrorKind::ExclusiveMaximum { limit } => ("less than", limit),
            _ => return None,
        };
        Some(match self.subject {
            Subject::Arguments => format!("must be {words} {limit}, not {value}"),
            Subject::Result => format!("must be {words} {limit}"),
        })
    }
}

fn size(kind: &ValidationErrorKind) -> Option<String> {
    let (words, limit, unit) = match kind {
        ValidationErrorKind::MinItems { limit } => ("at least", limit, "items"),
        ValidationErrorKind::MaxItems { limit } => ("at most", limit, "items"),
        ValidationErrorKind::MinLength { limit } => ("at least", limit, "characters"),
        ValidationErrorKind::MaxLength { limit } => ("at most", limit, "characters"),
        ValidationErrorKind::MinProperties { limit } => ("at least", limit, "properties"),
        ValidationErrorKind::MaxProperties { limit } => ("at most", limit, "properties"),
        _ => return None,
    };
    Some(format!("must have {words} {limit} {unit}"))
}

fn types(kind: &TypeKind) -> String {
    let types: Vec<&str> = match kind {
        TypeKind::Single(one) => vec![one.as_str()],
        TypeKind::Multiple(set) => set.iter().map(JsonType::as_str).collect(),
    };
    types.join(" or ")
}

fn choices(options: &Value) -> String {
    let options = options.as_array().into_iter().flatten();
    options.take(LISTED_CHOICES).map(quote).collect::<Vec<_>>().join(", ")
}

/// `list[0].name` for the location `/list/0/name`.
fn path_of(location: &Location) -> String {
    location.iter().fold(String::new(), |path, segment| match segment {
        LocationSegment::Property(name) => join(&path, &name),
        LocationSegment::Index(index) => format!("{path}[{index}]"),
    })
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

fn quote(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() <= QUOTED_CHARS {
        return text;
    }
    text.chars().take(QUOTED_CHARS).chain(['…']).collect()
}

const fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "this number",
        Value::String(_) => "this text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// The known name that is most similar to an unknown one.
fn suggestion<'n>(name: &str, known: impl Iterator<Item = &'n String>) -> Option<&'n String> {
    let similarity = |known: &&String| strsim::jaro_winkler(name, known);
    known
        .filter(|known| similarity(known) >= SIMILARITY)
        .max_by(|one, other| similarity(one).total_cmp(&similarity(other)))
}
