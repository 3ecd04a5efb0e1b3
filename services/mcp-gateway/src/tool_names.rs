//! Finds the server and the tool of a name.

use tarsy_contracts::mcp::FailedServer;

use crate::limits;

/// Splits `server.tool` or `server__tool` at the longest id of a server that it begins with.
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

/// The error for a name without a tool; it lists the tools that exist.
pub(crate) fn unknown_tool(name: &str, tools: &[String], failed: &[FailedServer]) -> String {
    let missing =
        failed.iter().find(|failed| split(name, std::iter::once(failed.server.as_str())).is_some());
    let mut message = match missing {
        Some(failed) => {
            format!(
                "The tool '{name}' cannot be called: its server is unavailable ({}).",
                failed.error
            )
        }
        None => format!("There is no tool '{name}'."),
    };
    if tools.is_empty() {
        message.push_str(" No tools are available.");
        return message;
    }
    let shown: Vec<&str> = tools.iter().take(limits::LISTED_NAMES).map(String::as_str).collect();
    message.push_str(" Available tools: ");
    message.push_str(&shown.join(", "));
    if tools.len() > shown.len() {
        let rest = format!(" and {} more", tools.len() - shown.len());
        message.push_str(&rest);
    }
    message.push('.');
    message
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_separators_are_split() {
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
    fn the_error_for_an_unknown_tool_lists_the_tools_that_exist() {
        let message = unknown_tool("a.x", &["a.b".to_owned(), "a.c".to_owned()], &[]);
        assert_eq!(message, "There is no tool 'a.x'. Available tools: a.b, a.c.");
    }

    #[test]
    fn the_error_for_a_tool_of_a_failed_server_contains_the_reason() {
        let failed = FailedServer { server: "a".to_owned(), error: "no route".to_owned() };
        let message = unknown_tool("a__x", &[], &[failed]);
        assert!(message.contains("no route"), "{message}");
    }
}
