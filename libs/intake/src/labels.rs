//! Labels while they are collected.

use std::collections::BTreeMap;

use crate::json::Node;

/// The most values of one label that are kept; further ones are counted.
const MAX_VALUES: usize = 256;

/// Labels; their bounds are those of the finished alert.
#[derive(Debug, Default)]
pub(crate) struct Labels(BTreeMap<String, Values>);

#[derive(Debug, Default)]
struct Values {
    values: Vec<String>,
    more: usize,
}

impl Labels {
    /// Adds a label. A name that is there already gets both values.
    pub(crate) fn add(&mut self, name: &str, value: &str) {
        let of = self.0.entry(name.to_owned()).or_default();
        if of.values.iter().any(|one| one == value) {
            return;
        }
        if of.values.len() < MAX_VALUES {
            of.values.push(value.to_owned());
        } else {
            of.more += 1;
        }
    }

    /// Adds a label if the payload has a value for it.
    pub(crate) fn add_text(&mut self, name: &str, node: &Node<'_>) {
        if let Some(value) = node.text() {
            self.add(name, &value);
        }
    }

    /// Adds tags such as `service:checkout`; one without a colon gets the value `true`.
    pub(crate) fn add_tag(&mut self, tag: &str) {
        let tag = tag.trim();
        let (name, value) = tag.split_once(':').unwrap_or((tag, "true"));
        if !name.trim().is_empty() {
            self.add(name.trim(), value.trim());
        }
    }

    /// Several values of one label are joined with commas.
    pub(crate) fn done(self) -> BTreeMap<String, String> {
        let joined = |of: Values| match of.more {
            0 => of.values.join(","),
            more => format!("{} and {more} more", of.values.join(",")),
        };
        self.0.into_iter().map(|(name, of)| (name, joined(of))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_labels() {
        let mut labels = Labels::default();
        for tag in
            ["service:checkout", "urgent", " ", "service:cart", "service:cart", "url:http://a"]
        {
            labels.add_tag(tag);
        }
        let pairs: Vec<_> = labels.done().into_iter().map(|(n, v)| format!("{n}={v}")).collect();
        assert_eq!(pairs, ["service=checkout,cart", "urgent=true", "url=http://a"]);
    }

    #[test]
    fn the_values_of_a_label_beyond_a_number_are_counted() {
        let mut labels = Labels::default();
        for n in 0..1_000 {
            labels.add("pod", &n.to_string());
        }
        assert!(labels.done()["pod"].ends_with(",255 and 744 more"));
    }
}
