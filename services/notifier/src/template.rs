//! Texts of operators in which names in braces stand for something of the alert.

/// A name in a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place<'a> {
    /// The template before it: what was filled in there is not part of it.
    pub(crate) before: &'a str,
    pub(crate) name: &'a str,
}

/// What a name stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// A text, quoted for where it stands.
    Text(String),
    /// Something that the alert lacks.
    Missing,
    /// Nothing: the braces are part of the text.
    Unknown,
}

/// Fills each `{name}` in one pass: what is filled in is never read as a template. None if something is missing.
pub(crate) fn fill(template: &str, value: impl Fn(Place<'_>) -> Value) -> Option<String> {
    let (mut filled, mut rest) = (String::with_capacity(template.len()), template);
    while let Some((text, after)) = rest.split_once('{') {
        filled.push_str(text);
        let before = template.strip_suffix(after)?.strip_suffix('{')?;
        let place = after.split_once('}').map(|(name, behind)| (Place { before, name }, behind));
        match place.map(|(place, behind)| (value(place), behind)) {
            Some((Value::Text(text), behind)) => {
                filled.push_str(&text);
                rest = behind;
            }
            Some((Value::Missing, _)) => return None,
            Some((Value::Unknown, _)) | None => {
                filled.push('{');
                rest = after;
            }
        }
    }
    filled.push_str(rest);
    Some(filled)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(template: &str, values: &[(&str, &str)]) -> Option<String> {
        fill(template, |place| match values.iter().find(|(name, _)| *name == place.name) {
            Some((_, "")) => Value::Missing,
            Some((_, value)) => Value::Text((*value).to_owned()),
            None => Value::Unknown,
        })
    }

    #[test]
    fn what_is_filled_in_is_not_filled_again() {
        let values = [("a", "{b}"), ("b", "{a}{"), ("c", "}"), ("none", "")];
        for (template, expected) in [
            ("{a} {b}", Some("{b} {a}{")),
            ("{b}c}", Some("{a}{c}")),
            ("{{a}}", Some("{{b}}")),
            ("{a}{a}", Some("{b}{b}")),
            ("{other} {", Some("{other} {")),
            ("{c", Some("{c")),
            ("", Some("")),
            ("{a} {none}", None),
        ] {
            assert_eq!(filled(template, &values).as_deref(), expected, "{template}");
        }
    }

    #[test]
    fn a_place_has_the_template_before_it() {
        let before = fill("x {a} ö {a}", |place| Value::Text(format!("<{}>", place.before)));
        assert_eq!(before.as_deref(), Some("x <x > ö <x {a} ö >"));
    }
}
