//! Which tools may be called: only those that look read-only, by name and by description.

use std::sync::LazyLock;

use regex::Regex;

use crate::text::regex;
use crate::transcript::Tool;

const WRITES: &str = " create delete update apply patch exec execute scale write put post remove drop kill uninstall install \
 upgrade rollback drain cordon uncordon evict send trigger stop reboot shutdown insert edit modify replace move rename \
 upload push merge commit terminate attach enable disable import grant revoke flush purge truncate reset rotate invoke \
 eval shell bash script silence mute assign comment invite ack acknowledge resolve destroy clear cancel approve add \
 append mutate taint untaint label annotate expose fork clone checkout sudo chmod chown format wipe restore resize \
 migrate promote failover pause resume unpause suspend sync publish submit forward cp copy debug proxy todo ";
/// Verbs that are also nouns: harmless behind a clear reading verb, as in `list_restart_events`.
const DOUBTFUL: &str =
    " start restart deploy run set call command change redeploy rollout release edit ";
const SECRETS: &str =
    " secret secrets password passwords credential credentials token tokens keychain ";
const READS: &str =
    " get list read describe show view search find query lookup fetch count tail check ";
const NOUNS: &str = " log logs top status stats statistics usage metric metrics overview event events info health \
 inspect uptime load average memory disk disks ports counters processes process history summary version explain diff probe \
 journal trace traces alerts nodes pods services namespaces connections sockets routes dns cpu filesystem filesystems \
 latency network kernel inodes mounts swap threads snapshot report details ";

static DESCRIBED: LazyLock<Regex> = regex!(
    r"(?i)read[- ]?only|^\W*(?:returns?|lists?|shows?|gets?|reads?|reports?|describes?|displays?|fetch(?:es)?|retrieves?|quer(?:y|ies)|search(?:es)?|looks? up|resolves?|counts?|inspects?|prints?|the\b)"
);
static WRITING: LazyLock<Regex> = regex!(
    r"(?i)^\W*(?:creat|delet|updat|appl(?:y|ies)|patch|execut|restart|scal(?:e|ing)|writ|remov|kill|install|upgrad|drain|send|trigger|start|stop|reboot|modif|terminat|set(?:s)?\b|run(?:s)?\b|add(?:s)?\b|evict|edit|insert|replac)"
);
static HARMLESS: LazyLock<Regex> = regex!(r"(?i:\bread[- ]?only\b)|\bGET\b|\bHEAD request");

fn is_in(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|one| one == word)
}

/// The words of a name in small letters.
pub(super) fn words(name: &str) -> Vec<String> {
    crate::alert::snake(name)
        .split('_')
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Whether a tool takes a command line of kubectl; the analyst only writes reading commands into it.
pub(super) fn command_parameter(tool: &Tool) -> Option<&str> {
    let name = tool.short_name().to_ascii_lowercase();
    let properties = tool.schema.get("properties")?.as_object()?;
    let described = tool.description.to_ascii_lowercase();
    if !(name.contains("kubectl") || name.contains("kubernetes") || described.contains("kubectl")) {
        return None;
    }
    ["command", "cmd", "kubectl_command", "args", "input"]
        .iter()
        .find_map(|key| properties.get_key_value(*key).map(|(key, _)| key.as_str()))
}

/// Whether a query tool answers `PromQL`.
pub(super) fn is_metric_query(tool: &Tool) -> bool {
    let name = tool.short_name().to_ascii_lowercase();
    let described = tool.description.to_ascii_lowercase();
    let is_prometheus =
        name.contains("prom") || described.contains("promql") || described.contains("prometheus");
    let has_query = tool
        .schema
        .get("properties")
        .is_some_and(|all| all.get("query").is_some() || all.get("promql").is_some());
    is_prometheus && has_query
}

/// Whether a tool looks read-only; in doubt it does not.
pub(crate) fn is_read_only(tool: &Tool) -> bool {
    if tool.schema.is_null() {
        return false;
    }
    if command_parameter(tool).is_some() || is_metric_query(tool) {
        return true;
    }
    let words = words(tool.short_name());
    let any = |list: &str| words.iter().any(|word| is_in(list, word));
    if words.is_empty() || any(WRITES) || any(SECRETS) {
        return false;
    }
    let clear = words.iter().take(2).any(|word| is_in(READS, word));
    let joined = words.iter().any(|word| word == "or" || word == "and");
    if any(DOUBTFUL) && (!clear || joined) {
        return false;
    }
    let runs = tool.description.trim_start().to_ascii_lowercase();
    // `Run kubectl get`, as wrappers of commands are described.
    let is_wrapper = clear && (runs.starts_with("run ") || runs.starts_with("execute"));
    if WRITING.is_match(&tool.description) && !HARMLESS.is_match(&tool.description) && !is_wrapper {
        return false;
    }
    clear || any(READS) || any(NOUNS) || DESCRIBED.is_match(&tool.description)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reads(name: &str, description: &str, schema: &str) -> bool {
        is_read_only(&Tool::new(name, description, schema))
    }

    #[test]
    fn only_tools_that_read_are_called() {
        assert!(reads("k8s.pods_list", "List pods", ""));
        assert!(reads("host.disk_usage", "Space in use.", ""));
        for name in [
            "restart_service",
            "pods_delete",
            "pods_exec",
            "resources_create_or_update",
            "get_secret",
            "run_shell",
        ] {
            assert!(!reads(name, "", ""), "{name}");
        }
        assert!(!reads("x.overview", "Deletes the old overview", ""));
    }

    #[test]
    fn a_kubectl_tool_may_be_called_because_the_command_is_ours() {
        let schema =
            r#"{"type":"object","properties":{"cmd":{"type":"string"}},"required":["cmd"]}"#;
        assert!(reads("a.exec_kubectl_cmd_safely", "Runs kubectl.", schema));
        assert!(!reads("a.exec_shell", "Runs a shell.", schema));
    }

    #[test]
    fn a_tool_with_a_broken_schema_is_left_alone() {
        assert!(!reads("a.disk_usage", "Disk", "{broken"));
    }
}
