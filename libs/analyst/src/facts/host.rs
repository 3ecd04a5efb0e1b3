//! What inspectors of a host answer: its processes, filesystems, interfaces and listening sockets.

use tarsy_evidence::{Node, Shape};

use super::model::{Facts, Source};

/// A process.
#[derive(Clone, Debug)]
pub(crate) struct Process {
    pub(crate) id: String,
    pub(crate) parent: String,
    /// Of the first word of its command; of the kernel if it has no command.
    pub(crate) name: String,
    pub(crate) state: String,
    /// Of one core.
    pub(crate) cpu_percent: f64,
    pub(crate) memory_percent: f64,
    pub(crate) place: Place,
}

/// A mounted filesystem.
#[derive(Clone, Debug)]
pub(crate) struct Mount {
    pub(crate) path: String,
    pub(crate) used_percent: f64,
    pub(crate) inodes_used_percent: f64,
    pub(crate) place: Place,
}

/// A network interface.
#[derive(Clone, Debug)]
pub(crate) struct Interface {
    pub(crate) name: String,
    pub(crate) state: String,
    /// Packets that it received or dropped.
    pub(crate) packets: f64,
    pub(crate) place: Place,
}

/// A socket that listens.
#[derive(Clone, Debug)]
pub(crate) struct Socket {
    pub(crate) port: u16,
    pub(crate) place: Place,
}

/// Where something stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// The index of the result.
    pub(crate) result: usize,
    pub(crate) line: usize,
}

/// All that is known of hosts.
#[derive(Debug, Default)]
pub(crate) struct Host {
    pub(crate) processes: Vec<Process>,
    pub(crate) mounts: Vec<Mount>,
    pub(crate) interfaces: Vec<Interface>,
    pub(crate) sockets: Vec<Socket>,
}

impl Host {
    /// The filesystem of a path.
    pub(crate) fn mount_of(&self, path: &str) -> Option<&Mount> {
        let holds = |mount: &&Mount| {
            let rest = path.strip_prefix(mount.path.trim_end_matches('/'));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.mounts.iter().filter(holds).max_by_key(|mount| mount.path.len())
    }
}

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
    } else if let (Some(path), Some(used)) = (text("mount"), number("used_percent")) {
        host.mounts.push(Mount {
            path: path.to_owned(),
            used_percent: used,
            inodes_used_percent: number("inodes_used_percent").unwrap_or_default(),
            place,
        });
    } else if let (Some(name), Some(state), Some(_)) = (text("name"), text("state"), text("mtu")) {
        let packets = ["rx_packets", "rx_dropped", "tx_dropped"];
        host.interfaces.push(Interface {
            name: name.to_owned(),
            state: state.to_owned(),
            packets: packets.iter().filter_map(|key| number(key)).sum(),
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
