//! Which server and tool a name means.

use tarsy_contracts::mcp::FailedServer;

use crate::limits;

/// Splits `server.tool` or `server__tool`, the longest server's name first; `server:tool` is no name.
pub(crate) fn split<'a, 'b>(
    name: &'a str,
    servers: impl Iterator<Item = &'b str>,
) -> Option<(&'b str, &'a str)> {
    servers
        .filter_map(|server| {
            let rest = name.trim().strip_prefix(server)?;
            let tool = rest.strip_prefix("__").or_else(|| rest.strip_prefix('.'))?;
            (!tool.is_empty()).then_some((server, tool))
        })
        .max_by_key(|(server, _)| server.len())
}

/// What a caller is told whose name means no tool.
pub(crate) fn unknown(name: &str, tools: &[String], failed: &[FailedServer]) -> String {
    let missing =
        failed.iter().find(|failed| split(name, std::iter::once(failed.server.as_str())).is_some());
    let mut told = match missing {
        Some(failed) => {
            format!(
                "The tool '{name}' cannot be called: its server could not be had ({}).",
                failed.error
            )
        }
        None => format!("There is no tool '{name}'."),
    };
    if tools.is_empty() {
        told.push_str(" No tools are available.");
        return told;
    }
    let shown: Vec<&str> = tools.iter().take(limits::NAMED).map(String::as_str).collect();
    told.push_str(" Available tools: ");
    told.push_str(&shown.join(", "));
    if tools.len() > shown.len() {
        let rest = format!(" and {} more", tools.len() - shown.len());
        told.push_str(&rest);
    }
    told.push('.');
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_spellings_name_a_tool() {
        let servers = || ["kubernetes-server", "kubernetes"].into_iter();
        assert_eq!(split("kubernetes.pods_list", servers()), Some(("kubernetes", "pods_list")));
        assert_eq!(
            split("kubernetes-server__pods_list", servers()),
            Some(("kubernetes-server", "pods_list"))
        );
        assert_eq!(split("a.b.c", ["a", "a.b"].into_iter()), Some(("a.b", "c")));
        assert_eq!(split("nowhere.x", servers()), None);
        assert_eq!(split("kubernetes.", servers()), None);
    }

    #[test]
    fn an_unknown_tool_is_answered_with_those_that_exist() {
        let told = unknown("a.x", &["a.b".to_owned(), "a.c".to_owned()], &[]);
        assert_eq!(told, "There is no tool 'a.x'. Available tools: a.b, a.c.");
    }

    #[test]
    fn a_tool_of_a_failed_server_is_answered_with_the_reason() {
        let failed = FailedServer { server: "a".to_owned(), error: "no route".to_owned() };
        let told = unknown("a__x", &[], &[failed]);
        assert!(told.contains("no route"), "{told}");
    }
}
