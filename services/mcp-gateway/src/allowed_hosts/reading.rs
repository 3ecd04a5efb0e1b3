//! Whether a call is known to read.

use serde_json::{Map, Value};
use tarsy_contracts::judged::{Judged, Language};
use tarsy_contracts::mcp::{Tool, ToolClass};
use tarsy_effects::{doubt, find_word};

/// Words of parameters, at any depth, that name the method of a request.
const METHODS: &str = "method verb";
/// Methods of HTTP that change something: as a value of its own, such as one in a list of options.
const CHANGING: [&str; 5] = ["DELETE", "PATCH", "POST", "PROPPATCH", "PUT"];

/// Whether a call reads: by the class of its tool or by its statements, and by the method in its arguments, which counts
/// even where the operator says that the tool reads. The annotation of a tool counts where it was accepted.
pub(super) fn reads(tool: &Tool, arguments: &Map<String, Value>, is_accepted: bool) -> bool {
    let terms = &tool.terms;
    let reads_by_class = match terms.class {
        ToolClass::ReadOnly => true,
        ToolClass::Unknown if terms.judged.is_empty() => is_accepted && tool.read_only,
        ToolClass::Unknown => doubt(&terms.judged, arguments).is_none(),
        ToolClass::Write => false,
    };
    reads_by_class && has_reading_methods(arguments)
}

fn has_reading_methods(arguments: &Map<String, Value>) -> bool {
    let mut open: Vec<&Value> = arguments.values().collect();
    let mut reads = of_object(arguments);
    while let Some(value) = open.pop() {
        match value {
            Value::Object(fields) => {
                reads &= of_object(fields);
                open.extend(fields.values());
            }
            Value::Array(values) => open.extend(values),
            Value::String(text) => {
                let text = text.trim();
                reads &= !CHANGING.iter().any(|method| text.eq_ignore_ascii_case(method));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    reads
}

fn of_object(fields: &Map<String, Value>) -> bool {
    let methods = fields.iter().filter(|(name, value)| {
        find_word(name, METHODS).is_some() && !matches!(value, Value::Null | Value::Bool(_))
    });
    methods.map(|(name, _)| name).all(|name| {
        let parameter = name.clone();
        let judged = Judged { parameter, language: Language::Operation, may_be_absent: true };
        doubt(&[judged], fields).is_none()
    })
}
