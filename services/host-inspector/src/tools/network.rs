//! `listening_ports` and `network_counters`.

use std::collections::HashMap;
use std::net::SocketAddr;

use serde_json::{Value, json};

use super::processes::owner;
use crate::error::ToolResult;
use crate::host::{parsed, process_ids, text_of};
use crate::proc::network::{Listener, interfaces, socket_inode, tcp_listeners, udp_listeners};
use crate::proc::process::user_name;

/// How many processes are searched for the owners of sockets.
const MAX_PROCESSES: usize = 32_768;
/// The most file descriptors that are searched.
const MAX_DESCRIPTORS: usize = 400_000;
/// The most listed sockets.
const MAX_LISTED: usize = 300;

/// The name of a protocol, which is that of its table of sockets, too.
type Table = (&'static str, fn(&str) -> Vec<Listener>);

const TABLES: [Table; 4] = [
    ("tcp", tcp_listeners),
    ("tcp6", tcp_listeners),
    ("udp", udp_listeners),
    ("udp6", udp_listeners),
];

/// A file about the network of the first process: in a container that sees the processes of its machine, that is the machine's
/// network, and not the container's. Without it, of this process.
fn net_file(name: &str) -> String {
    let first = format!("/proc/1/net/{name}");
    if std::fs::File::open(&first).is_ok() { first } else { format!("/proc/net/{name}") }
}

/// The listening sockets, with their owners where this process may read them.
pub(crate) fn listening_ports() -> Value {
    let mut sockets: Vec<(&'static str, Listener)> = Vec::new();
    for (protocol, read) in TABLES {
        let found = text_of(net_file(protocol)).map(|text| read(&text)).unwrap_or_default();
        sockets.extend(found.into_iter().map(|socket| (protocol, socket)));
    }
    sockets.sort_by_key(|(protocol, socket)| {
        (*protocol, socket.address.port(), socket.address.to_string())
    });
    let (owners, hidden) = socket_owners();
    let passwd = text_of("/etc/passwd").unwrap_or_default();
    let listed: Vec<Value> = sockets
        .iter()
        .take(MAX_LISTED)
        .map(|(protocol, socket)| {
            describe(protocol, socket, owners.get(&socket.inode).copied(), &passwd)
        })
        .collect();
    let mut answer = json!({ "count": sockets.len(), "sockets": listed });
    if let (Some(map), true) = (answer.as_object_mut(), hidden > 0) {
        let note = format!(
            "{hidden} processes of other users hide their sockets from this process; their pid is missing"
        );
        map.insert("note".to_owned(), json!(note));
    }
    answer
}

fn describe(protocol: &str, socket: &Listener, pid: Option<u32>, passwd: &str) -> Value {
    let process =
        pid.and_then(|pid| text_of(format!("/proc/{pid}/comm"))).map(|name| name.trim().to_owned());
    let user = pid.and_then(|pid| owner(pid, passwd)).or_else(|| {
        Some(user_name(passwd, socket.uid).map_or_else(|| socket.uid.to_string(), str::to_owned))
    });
    json!({
        "protocol": protocol,
        "address": socket.address.ip().to_string(),
        "port": socket.address.port(),
        "reach": reach(&socket.address),
        "pid": pid,
        "process": process,
        "user": user,
    })
}

/// The hosts that can reach a socket.
fn reach(address: &SocketAddr) -> &'static str {
    if address.ip().is_loopback() {
        "this machine only"
    } else if address.ip().is_unspecified() {
        "all interfaces"
    } else {
        "one address"
    }
}

/// The processes by the inode of their sockets, and the number of unreadable processes.
fn socket_owners() -> (HashMap<u64, u32>, usize) {
    let (mut owners, mut hidden, mut searched) = (HashMap::new(), 0, 0);
    for pid in process_ids(MAX_PROCESSES) {
        let Ok(descriptors) = std::fs::read_dir(format!("/proc/{pid}/fd")) else {
            hidden += 1;
            continue;
        };
        for descriptor in descriptors.flatten() {
            searched += 1;
            if searched > MAX_DESCRIPTORS {
                return (owners, hidden);
            }
            let link = std::fs::read_link(descriptor.path()).ok();
            if let Some(inode) = link.and_then(|link| socket_inode(&link.to_string_lossy())) {
                owners.entry(inode).or_insert(pid);
            }
        }
    }
    (owners, hidden)
}

/// The counters of the interfaces since boot, with their state.
pub(crate) fn counters() -> ToolResult {
    let found = parsed(&net_file("dev"), |text| Some(interfaces(text)))?;
    let listed: Vec<Value> = found
        .iter()
        .take(MAX_LISTED)
        .map(|one| {
            let about = |file: &str| {
                text_of(format!("/sys/class/net/{}/{file}", one.name))
                    .map(|text| text.trim().to_owned())
            };
            let mut value = json!(one);
            if let Some(map) = value.as_object_mut() {
                map.insert("state".to_owned(), json!(about("operstate")));
                map.insert(
                    "mtu".to_owned(),
                    json!(about("mtu").and_then(|text| text.parse::<u32>().ok())),
                );
            }
            value
        })
        .collect();
    Ok(json!({ "counted": "since boot", "interfaces": listed }))
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn a_listening_socket_is_found_with_its_process() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let answer = listening_ports();
        let sockets = answer.get("sockets").and_then(Value::as_array).expect("a list");
        let ours =
            sockets.iter().find(|one| one.get("port") == Some(&json!(port))).expect("our port");
        assert_eq!(ours.get("pid"), Some(&json!(std::process::id())));
        assert_eq!(ours.get("reach"), Some(&json!("this machine only")));
    }
}
