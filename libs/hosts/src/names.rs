//! Names that lead to one place wherever they are asked for.

/// Names of the metadata services of clouds, and what stands below them.
const METADATA: [&str; 11] = [
    "api.metadata.cloud.ibm.com",
    "google.internal",
    "instance-data",
    "instance-data.ec2.internal",
    "metadata",
    "metadata.azure.internal",
    "metadata.goog",
    "metadata.packet.net",
    "metadata.platformequinix.com",
    "metadata.tencentyun.com",
    "metadata.vultr.com",
];
/// Names of this machine.
const LOOPBACK: [&str; 9] = [
    "ip6-localhost",
    "ip6-loopback",
    "localdomain",
    "localhost",
    "localhost4",
    "localhost6",
    "localhost4.localdomain4",
    "localhost6.localdomain6",
    "loopback",
];

/// Whether a name, in lower case and without a dot at its end, is one of a cloud's metadata service.
pub(crate) fn is_metadata(name: &str) -> bool {
    METADATA.iter().any(|known| is_at_or_below(name, known))
}

/// The same for this machine, and for the machine that a container runs on (`host.docker.internal`).
pub(crate) fn is_loopback(name: &str) -> bool {
    let is_host_of_container = matches!(
        name.split('.').collect::<Vec<_>>().as_slice(),
        ["host" | "gateway" | "kubernetes", _, "internal"]
    );
    is_host_of_container || LOOPBACK.iter().any(|known| is_at_or_below(name, known))
}

fn is_at_or_below(name: &str, known: &str) -> bool {
    let before = name.strip_suffix(known);
    before.is_some_and(|before| before.is_empty() || before.ends_with('.'))
}
