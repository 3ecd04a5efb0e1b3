//! What comes with a call in its `_meta`, beside the arguments that a model writes.

use rmcp::model::RequestMetaObject;
use serde_json::{Value, json};
use tarsy_hosts::{Host, HostList, Reach};

/// The hosts that a call may reach because the operator lists them, beside those of the options.
const HOSTS: &str = "tarsy/hosts";
/// The hosts that a call may reach because the alert names them.
const HOSTS_OF_ALERT: &str = "tarsy/hosts_of_alert";
/// The hosts that the alert names as its own: they choose a node.
const ALERT_HOSTS: &str = "tarsy/alert_hosts";
/// The node that a call is meant for, in calls that are forwarded to it.
const NODE: &str = "tarsy/node";

/// The hosts that a call may reach beside those of the options; of what the operator lists none if one entry cannot be
/// read.
pub(crate) fn reach(meta: &RequestMetaObject, options: &HostList) -> Reach {
    let listed = HostList::parse(texts(meta, HOSTS)).unwrap_or_default();
    let of_alert = texts(meta, HOSTS_OF_ALERT).filter_map(Host::parse);
    Reach::new(options.clone().and(listed), of_alert)
}

pub(crate) fn alert_hosts(meta: &RequestMetaObject) -> Vec<Host> {
    texts(meta, ALERT_HOSTS).filter_map(Host::parse).collect()
}

/// The node that a call is meant for; none if its sender knows of no nodes.
pub(crate) fn node(meta: &RequestMetaObject) -> Option<&str> {
    meta.get(NODE)?.as_str()
}

/// What a call that is forwarded to a node carries.
pub(crate) fn forwarded(meta: &RequestMetaObject, node: &str) -> RequestMetaObject {
    let mut forwarded = RequestMetaObject::default();
    for key in [HOSTS, HOSTS_OF_ALERT] {
        if let Some(hosts) = meta.get(key) {
            forwarded.insert(key.to_owned(), hosts.clone());
        }
    }
    forwarded.insert(NODE.to_owned(), json!(node));
    forwarded
}

fn texts<'a>(meta: &'a RequestMetaObject, key: &str) -> impl Iterator<Item = &'a str> {
    let entries = meta.get(key).and_then(Value::as_array);
    entries.into_iter().flatten().filter_map(Value::as_str)
}
