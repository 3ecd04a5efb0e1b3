//! What inspectors of a host answer.

use tarsy_evidence::{Node, Shape};

use super::host::{Host, Interface, Mount, Place, Process, Socket};
use super::model::{Facts, Source};

/// Adds what the documents of a result describe.
pub(super) fn add(facts: &mut Facts, documents: &[Node], source: &Source<'_>) {
    for node in documents {
        walk(&mut facts.host, node, source.result);
    }
}

fn walk(host: &mut Host, node: &Node, result: usize) {
    match &node.shape {
        Shape::Scalar(_) => {}
        Shape::List(items) => items.iter().for_each(|item| walk(host, item, result)),
        Shape::Map(entries) => {
            if !read(host, node, Place { result, line: node.line }) {
                for entry in entries {
                    walk(host, &entry.value, result);
                }
            }
        }
    }
}

/// Whether a map describes one of them.
fn read(host: &mut Host, node: &Node, place: Place) -> bool {
    let text = |key: &str| node.get(key).and_then(Node::text);
    let number = |key: &str| text(key).and_then(|text| text.parse::<f64>().ok());
    if let (Some(id), Some(name), Some(state)) = (text("pid"), text("name"), text("state")) {
        let program = text("command").and_then(|command| command.split_whitespace().next());
        let program = program.and_then(|path| path.trim_end_matches(':').rsplit('/').next());
        host.processes.push(Process {
            id: id.to_owned(),
            parent: text("parent").unwrap_or_default().to_owned(),
            name: program.filter(|name| !name.is_empty()).unwrap_or(name).to_owned(),
            state: state.to_owned(),
            cpu_percent: number("cpu_percent").unwrap_or_default(),
            memory_percent: number("memory_percent").unwrap_or_default(),
            place,
        });
    } else if let (Some(path), Some(used)) =
        (text("mount").or(text("mountpoint")), number("used_percent"))
    {
        host.mounts.push(Mount {
            path: path.to_owned(),
            used_percent: used,
            inodes_used_percent: number("inodes_used_percent").unwrap_or_default(),
            place,
        });
    } else if let (Some(name), Some(state), Some(_)) = (text("name"), text("state"), text("mtu")) {
        let sum = |keys: &[&str]| keys.iter().filter_map(|key| number(key)).sum::<f64>();
        host.interfaces.push(Interface {
            name: name.to_owned(),
            state: state.to_owned(),
            packets: sum(&["rx_packets", "rx_dropped", "tx_dropped"]),
            errors: sum(&["rx_errors", "tx_errors"]),
            dropped: sum(&["rx_dropped", "tx_dropped"]),
            place,
        });
    } else if let (Some(port), Some(_), Some(_)) = (text("port"), text("protocol"), text("address"))
    {
        let port = port.parse().ok();
        host.sockets.extend(port.map(|port| Socket { port, place }));
    } else {
        return false;
    }
    true
}
