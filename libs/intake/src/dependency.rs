//! What depends on what, as tarsy-kubernetes-watcher sends it.

use serde_json::Value;

use crate::limits::MAX_NAME;

/// The most dependencies of one request; those beyond are left out.
const MAX_DEPENDENCIES: usize = 1_000;

/// A dependency of an object on another one, with their kinds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dependency {
    /// What depends, such as `Service/checkout`.
    pub from: String,
    /// `calls`, `routes_to` or `uses`.
    pub relation: String,
    /// What it depends on.
    pub to: String,
    pub namespace: Option<String>,
    pub cluster: Option<String>,
}

/// The dependencies of a list; what lacks a name is left out.
pub(crate) fn read_dependencies(items: &Value, cluster: Option<&str>) -> Vec<Dependency> {
    let items = items.as_array().into_iter().flatten().take(MAX_DEPENDENCIES);
    items.filter_map(|item| read(item, cluster)).collect()
}

fn read(item: &Value, cluster: Option<&str>) -> Option<Dependency> {
    let text = |name: &str| {
        let text = item.get(name)?.as_str()?.trim();
        let is_name = !text.is_empty() && !text.contains(char::is_whitespace);
        (is_name && text.chars().count() <= MAX_NAME).then(|| text.to_owned())
    };
    Some(Dependency {
        from: text("from")?,
        relation: text("relation")?,
        to: text("to")?,
        namespace: text("namespace"),
        cluster: cluster.map(str::to_owned),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_lacks_a_name_is_left_out() {
        let whole = json!({"from": "Service/a", "relation": "routes_to", "to": "Deployment/a", "namespace": "shop"});
        let items = json!([whole, {"from": "Service/a", "relation": "routes_to"}, {"from": "a b", "relation": "uses", "to": "c"}, 7]);
        let found = read_dependencies(&items, Some("one"));
        let [only] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((only.to.as_str(), only.cluster.as_deref()), ("Deployment/a", Some("one")));
        assert_eq!(read_dependencies(&Value::Null, None), []);
    }
}
