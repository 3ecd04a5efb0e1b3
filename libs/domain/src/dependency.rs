//! What depends on what, and the one line that prompts and results show of it.

use std::fmt;

use crate::string_enum::string_enum;

string_enum! {
    /// How one object depends on another.
    Relation {
        /// A service sends requests to another one.
        Calls,
        /// An ingress or a service passes requests on to it.
        RoutesTo,
        /// A workload reads a config map, a secret or a volume.
        Uses,
    }
}

impl Relation {
    /// As a sentence has it.
    pub const fn verb(self) -> &'static str {
        match self {
            Self::Calls => "calls",
            Self::RoutesTo => "routes to",
            Self::Uses => "uses",
        }
    }
}

/// The longest value of a line, in characters.
const MAX_VALUE: usize = 253;

/// A dependency as one line: `FROM calls TO (namespace …, team …)`. [`fmt::Display`] writes it, and [`DependencyLine::parse`] reads
/// it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DependencyLine {
    /// What depends, such as `checkout` or `Deployment/checkout`.
    pub from: String,
    pub relation: Relation,
    /// What it depends on.
    pub to: String,
    /// That of `from`, and of `to` where that has none of its own.
    pub namespace: Option<String>,
    /// The namespace of `to`, if it is another one.
    pub to_namespace: Option<String>,
    pub cluster: Option<String>,
    pub environment: Option<String>,
    /// Who answers for `from`.
    pub team: Option<String>,
    pub source: Option<String>,
}

impl DependencyLine {
    /// Reads a line; nothing of one in another form.
    pub fn parse(line: &str) -> Option<Self> {
        let line = line.trim();
        let (head, values) = match line.split_once(" (") {
            Some((head, values)) => (head, values.strip_suffix(')')?),
            None => (line, ""),
        };
        let relations = [Relation::Calls, Relation::RoutesTo, Relation::Uses];
        let (from, relation, to) = relations.into_iter().find_map(|relation| {
            let (from, to) = head.split_once(&format!(" {} ", relation.verb()))?;
            Some((from, relation, to))
        })?;
        let is_name = |name: &str| !name.is_empty() && !name.contains(char::is_whitespace);
        if !is_name(from) || !is_name(to) {
            return None;
        }
        let mut found = Self {
            from: from.to_owned(),
            relation,
            to: to.to_owned(),
            namespace: None,
            to_namespace: None,
            cluster: None,
            environment: None,
            team: None,
            source: None,
        };
        for value in values.split(", ").filter(|value| !value.is_empty()) {
            let field = found.fields().into_iter().find_map(|(name, field)| {
                let value = value.strip_prefix(name)?.strip_prefix(' ')?;
                Some((field, value))
            });
            let (field, value) = field?;
            *field = Some(value.to_owned());
        }
        Some(found)
    }

    /// The values between the brackets, in their order.
    fn fields(&mut self) -> [(&'static str, &mut Option<String>); 6] {
        [
            ("namespace", &mut self.namespace),
            ("to namespace", &mut self.to_namespace),
            ("cluster", &mut self.cluster),
            ("environment", &mut self.environment),
            ("team", &mut self.team),
            ("known from", &mut self.source),
        ]
    }
}

impl fmt::Display for DependencyLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", name(&self.from), self.relation.verb(), name(&self.to))?;
        let mut copy = self.clone();
        let named = copy.fields().into_iter().filter_map(|(label, field)| {
            let shown = value(field.as_deref()?);
            (!shown.is_empty()).then(|| format!("{label} {shown}"))
        });
        let values: Vec<String> = named.collect();
        if values.is_empty() { Ok(()) } else { write!(f, " ({})", values.join(", ")) }
    }
}

/// The name of an object without its kind, in lower case: `Deployment/Checkout` is `checkout`.
pub fn bare_object(object: &str) -> String {
    object.rsplit('/').next().unwrap_or(object).to_lowercase()
}

/// A name without blanks and what divides the parts of a line.
fn name(text: &str) -> String {
    let plain: String = value(text);
    plain.split_whitespace().collect::<Vec<_>>().join("_")
}

/// A value on one line, without what divides the parts of a line.
fn value(text: &str) -> String {
    let plain: String =
        text.chars().map(|one| if matches!(one, '(' | ')' | ',') { ' ' } else { one }).collect();
    let line = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(MAX_VALUE).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line() -> DependencyLine {
        DependencyLine {
            from: "Ingress/shop".to_owned(),
            relation: Relation::RoutesTo,
            to: "Service/checkout".to_owned(),
            namespace: Some("shop".to_owned()),
            to_namespace: Some("pay".to_owned()),
            cluster: None,
            environment: Some("production".to_owned()),
            team: Some("payments and refunds".to_owned()),
            source: Some("tarsy.yaml".to_owned()),
        }
    }

    #[test]
    fn a_line_is_read_as_it_was_written() {
        let whole = line();
        let text = "Ingress/shop routes to Service/checkout (namespace shop, to namespace pay, environment production, \
                    team payments and refunds, known from tarsy.yaml)";
        assert_eq!(whole.to_string(), text);
        assert_eq!(DependencyLine::parse(text), Some(whole));
        let bare = DependencyLine {
            relation: Relation::Calls,
            namespace: None,
            to_namespace: None,
            environment: None,
            team: None,
            source: None,
            ..line()
        };
        assert_eq!(bare.to_string(), "Ingress/shop calls Service/checkout");
        assert_eq!(DependencyLine::parse(&bare.to_string()), Some(bare));
    }

    #[test]
    fn a_text_of_others_stays_one_value_and_other_lines_are_none() {
        let hostile = DependencyLine {
            from: "a calls b\nIgnore".to_owned(),
            team: Some("x), y (z".to_owned()),
            ..line()
        };
        let read = DependencyLine::parse(&hostile.to_string()).unwrap();
        assert_eq!((read.from.as_str(), read.team.as_deref()), ("a_calls_b_Ignore", Some("x y z")));
        for other in ["", "checkout is slow", "calls b", "a calls b c", "a calls b (colour red)"] {
            assert_eq!(DependencyLine::parse(other), None, "{other}");
        }
        assert_eq!(bare_object("Deployment/Checkout"), "checkout");
    }
}
