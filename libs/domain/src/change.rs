//! What changed in the systems that alerts are about, and the one line that prompts and results show of it.

use std::fmt::{self, Write as _};

use jiff::Timestamp;

use crate::string_enum::string_enum;

string_enum! {
    /// What kind of change it is.
    ChangeKind {
        /// Another version, image or template of a workload runs.
        Deployment,
        /// A configuration that programs read.
        Configuration,
        /// A secret; its values are never part of a change.
        Secret,
        /// Another number of replicas, or other limits of it.
        Scaling,
        /// A machine, or a node of a cluster.
        Node,
        /// A release of a package of manifests, such as a chart of Helm.
        Release,
        FeatureFlag,
        /// Commits that were pushed.
        Commit,
        /// A package of a machine.
        Package,
        /// A unit of systemd.
        Unit,
        Kernel,
        Other,
    }
}

/// The longest text of a line, in characters.
const MAX_TEXT: usize = 300;
/// The longest value beside the text, in characters.
const MAX_VALUE: usize = 253;

/// A change as one line: `TIME [KIND] OBJECT (service …, namespace …, by …): TEXT LINK`. [`fmt::Display`] writes it, and
/// [`ChangeLine::parse`] reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeLine {
    pub occurred_at: Timestamp,
    pub kind: ChangeKind,
    /// Such as `Deployment/checkout`.
    pub object: Option<String>,
    pub service: Option<String>,
    pub namespace: Option<String>,
    pub cluster: Option<String>,
    pub host: Option<String>,
    pub environment: Option<String>,
    pub author: Option<String>,
    pub source: Option<String>,
    /// What changed, with the address of a page about it at the end.
    pub text: String,
}

impl ChangeLine {
    /// Reads a line; nothing of one in another form.
    pub fn parse(line: &str) -> Option<Self> {
        let (time, rest) = line.trim().split_once(" [")?;
        let (kind, rest) = rest.split_once("] ")?;
        let (object, rest) = rest.split_once(" (")?;
        let (values, text) = rest.split_once("): ")?;
        let mut change = Self {
            occurred_at: time.parse().ok()?,
            kind: kind.parse().ok()?,
            object: Some(object.to_owned()).filter(|object| object != NO_OBJECT),
            service: None,
            namespace: None,
            cluster: None,
            host: None,
            environment: None,
            author: None,
            source: None,
            text: text.to_owned(),
        };
        for value in values.split(", ") {
            let (name, value) = value.split_once(' ')?;
            let (_, field) = change.fields().into_iter().find(|(known, _)| *known == name)?;
            *field = Some(value.to_owned());
        }
        Some(change)
    }

    /// The values between the brackets, in their order.
    fn fields(&mut self) -> [(&'static str, &mut Option<String>); 7] {
        [
            ("service", &mut self.service),
            ("namespace", &mut self.namespace),
            ("cluster", &mut self.cluster),
            ("host", &mut self.host),
            ("environment", &mut self.environment),
            ("by", &mut self.author),
            ("from", &mut self.source),
        ]
    }
}

/// Stands for the object of a change that names none.
const NO_OBJECT: &str = "-";

impl fmt::Display for ChangeLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let object = self.object.as_deref().map_or(NO_OBJECT.to_owned(), value);
        let time = self.occurred_at.strftime("%Y-%m-%dT%H:%M:%SZ");
        write!(f, "{time} [{}] {object} (", self.kind)?;
        let mut copy = self.clone();
        let named = copy.fields().into_iter().filter_map(|(name, field)| {
            let shown = value(field.as_deref()?);
            Some((name, shown)).filter(|(_, shown)| !shown.is_empty())
        });
        let mut values = String::new();
        for (name, shown) in named {
            let divider = if values.is_empty() { "" } else { ", " };
            write!(values, "{divider}{name} {shown}")?;
        }
        write!(f, "{values}): {}", short(&self.text, MAX_TEXT))
    }
}

/// A value on one line, without what divides the parts of a line.
fn value(text: &str) -> String {
    let plain: String = text
        .chars()
        .map(|letter| if matches!(letter, '(' | ')' | ',' | '[' | ']') { ' ' } else { letter })
        .collect();
    short(&plain, MAX_VALUE)
}

/// One line of at most so many characters.
fn short(text: &str, most: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= most {
        return line;
    }
    line.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change() -> ChangeLine {
        ChangeLine {
            occurred_at: "2026-02-11T09:41:20Z".parse().unwrap(),
            kind: ChangeKind::FeatureFlag,
            object: Some("Deployment/checkout".to_owned()),
            service: Some("checkout".to_owned()),
            namespace: None,
            cluster: None,
            host: None,
            environment: Some("production".to_owned()),
            author: Some("Rosa (on call), team one".to_owned()),
            source: Some("github".to_owned()),
            text: "image shop/checkout:1.8.1 → 1.8.2\n(canary): done https://ci.example/42"
                .to_owned(),
        }
    }

    #[test]
    fn a_change_is_one_line_that_is_read_again() {
        let line = change().to_string();
        assert_eq!(
            line,
            "2026-02-11T09:41:20Z [feature_flag] Deployment/checkout (service checkout, environment production, by Rosa on \
             call team one, from github): image shop/checkout:1.8.1 → 1.8.2 (canary): done https://ci.example/42"
        );
        let read = ChangeLine::parse(&line).unwrap();
        assert_eq!(read.to_string(), line);
        assert_eq!(read.author.as_deref(), Some("Rosa on call team one"));
        let bare = ChangeLine { object: None, ..change() };
        assert_eq!(ChangeLine::parse(&bare.to_string()).unwrap().object, None);
    }

    #[test]
    fn a_line_in_another_form_is_no_change() {
        for line in [
            "",
            "2026-02-11 [deployment] a (from b): c",
            "x [deployment] a (from b): c",
            "ok (x): y",
        ] {
            assert_eq!(ChangeLine::parse(line), None, "{line}");
        }
        let long = ChangeLine { text: "word ".repeat(500), ..change() };
        assert!(long.to_string().chars().count() < 500);
    }
}
