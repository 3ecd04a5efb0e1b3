//! What is to be run, and was not seen.

/// Programs that a command begins with.
const COMMANDS: &[&str] = &[
    "kubectl",
    "helm",
    "docker",
    "podman",
    "crictl",
    "systemctl",
    "journalctl",
    "curl",
    "dig",
    "nslookup",
    "psql",
    "mysql",
    "kill",
    "rm",
    "ls",
    "cat",
    "grep",
    "tail",
    "df",
    "du",
    "free",
    "ps",
    "top",
    "ss",
    "netstat",
    "lsof",
    "openssl",
    "certbot",
    "nginx",
    "argocd",
    "git",
    "sudo",
    "apt",
    "apt-get",
    "yum",
    "ssh",
    "ping",
    "traceroute",
    "redis-cli",
    "vmstat",
    "iostat",
    "dmesg",
    "sysctl",
    "iptables",
    "nft",
    "chmod",
    "chown",
    "truncate",
    "find",
    "oc",
    "promtool",
    "SELECT",
];

/// Whether a text is a command line.
pub(super) fn is_command(text: &str) -> bool {
    let text = text.trim_start_matches(['$', '#', ' ', '>']);
    let first = text.split_whitespace().next().unwrap_or_default();
    // Words of English, too.
    let is_word =
        matches!(first, "free" | "find" | "top" | "kill" | "cat" | "ping" | "truncate" | "SELECT");
    let known = COMMANDS.contains(&first)
        && (!is_word || text.contains(['-', '/', '*', '%']) || text == first);
    // A daemon that is named alone is a thing.
    let is_daemon = text == first && matches!(first, "nginx" | "mysql" | "docker" | "podman");
    known
        && !is_daemon
        && (text.len() == first.len() || text.contains(" -") || text.split_whitespace().count() > 1)
        && !text.contains(": ") | text.contains(" -")
}
