//! The template of pods: images, and which other fields differ, never their values.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use serde_json::Value;

/// The most names in the text of a change.
const MAX_NAMES: usize = 8;
/// What restarts pods without another configuration.
const RESTARTED: &str = "kubectl.kubernetes.io/restartedAt";

/// A template, as far as its change is described.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Template {
    /// By the names of containers, init containers among them.
    images: BTreeMap<String, String>,
    /// Digests of the other fields, by their names, such as `env of checkout`.
    fields: BTreeMap<String, u64>,
}

impl Template {
    pub(super) fn of(template: &Value) -> Self {
        let mut read = Self::default();
        let spec = template.get("spec").and_then(Value::as_object);
        for (name, value) in spec.into_iter().flatten() {
            if matches!(name.as_str(), "containers" | "initContainers") {
                value.as_array().into_iter().flatten().for_each(|one| read.container(one));
            } else {
                read.fields.insert(name.clone(), digest(value));
            }
        }
        let metadata = template.get("metadata").and_then(Value::as_object);
        for (part, entries) in metadata.into_iter().flatten() {
            for (name, value) in entries.as_object().into_iter().flatten() {
                read.fields.insert(format!("{} {name}", part.trim_end_matches('s')), digest(value));
            }
        }
        read
    }

    fn container(&mut self, container: &Value) {
        let name = container.get("name").and_then(Value::as_str).unwrap_or_default();
        for (field, value) in container.as_object().into_iter().flatten() {
            match (field.as_str(), value.as_str()) {
                ("image", Some(image)) => {
                    self.images.insert(name.to_owned(), image.to_owned());
                }
                ("name", _) => {}
                _ => {
                    self.fields.insert(format!("{field} of {name}"), digest(value));
                }
            }
        }
    }

    /// What differs from the template before; none if nothing does.
    pub(super) fn difference(&self, before: &Self) -> Option<String> {
        let mut parts = Vec::new();
        for (name, image) in &self.images {
            match before.images.get(name) {
                Some(old) if old == image => {}
                Some(old) => parts.push(format!("image of {name} {old} → {image}")),
                None => parts.push(format!("container {name} with image {image} added")),
            }
        }
        let gone = before.images.keys().filter(|name| !self.images.contains_key(*name));
        parts.extend(gone.map(|name| format!("container {name} removed")));
        let names = || self.fields.keys().chain(before.fields.keys());
        let mut differing: Vec<&String> =
            names().filter(|name| self.fields.get(*name) != before.fields.get(*name)).collect();
        differing.sort();
        differing.dedup();
        if differing.iter().any(|name| name.ends_with(RESTARTED))
            && parts.is_empty()
            && differing.len() == 1
        {
            return Some("restarted by kubectl rollout restart".to_owned());
        }
        if !differing.is_empty() {
            let more = differing.len().saturating_sub(MAX_NAMES);
            let shown: Vec<&str> =
                differing.into_iter().take(MAX_NAMES).map(String::as_str).collect();
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            parts.push(format!("changed: {}{more}", shown.join(", ")));
        }
        Some(parts.join("; ")).filter(|text| !text.is_empty())
    }
}

fn digest(value: &Value) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.to_string().hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn template(image: &str, secret: &str) -> Template {
        Template::of(&json!({
            "metadata": {"labels": {"app": "checkout"}},
            "spec": {"serviceAccountName": "checkout", "containers": [
                {"name": "checkout", "image": image, "env": [{"name": "PASSWORD", "value": secret}]},
            ]},
        }))
    }

    #[test]
    fn another_image_is_named_and_of_other_fields_only_their_names() {
        let first = template("shop/checkout:1.8.1", "hunter2");
        assert_eq!(first.difference(&template("shop/checkout:1.8.1", "hunter2")), None);
        let second = template("shop/checkout:1.8.2", "hunter3");
        let text = second.difference(&first).unwrap();
        assert_eq!(
            text,
            "image of checkout shop/checkout:1.8.1 → shop/checkout:1.8.2; changed: env of checkout"
        );
    }

    #[test]
    fn a_restart_and_containers_that_come_and_go_are_named() {
        let of = |value: Value| Template::of(&value);
        let before = of(json!({"spec": {"containers": [{"name": "a", "image": "x:1"}]}}));
        let restarted =
            of(json!({"metadata": {"annotations": {"kubectl.kubernetes.io/restartedAt": "now"}},
            "spec": {"containers": [{"name": "a", "image": "x:1"}]}}));
        assert_eq!(
            restarted.difference(&before).as_deref(),
            Some("restarted by kubectl rollout restart")
        );
        let other = of(json!({"spec": {"initContainers": [{"name": "b", "image": "y:1"}]}}));
        assert_eq!(
            other.difference(&before).as_deref(),
            Some("container b with image y:1 added; container a removed")
        );
    }
}
