//! Entries of `mcp_servers` in `tarsy.yaml`.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::Path;

use serde_json::{Value, json};

/// A tool server that a test is about to configure.
#[derive(Debug, Clone)]
pub struct NewToolServer {
    name: String,
    transport: Value,
    others: BTreeMap<String, Value>,
}

/// A server over standard streams whose program ends at once, until `program` names another. Every tool of it runs, until a
/// policy says otherwise.
pub fn a_tool_server(name: &str) -> NewToolServer {
    NewToolServer {
        name: name.to_owned(),
        transport: json!({"type": "stdio", "command": "/bin/false"}),
        others: BTreeMap::from([("policy".to_owned(), json!({"mode": "allow_all"}))]),
    }
}

impl NewToolServer {
    #[must_use]
    pub fn program(mut self, program: &Path, arguments: &[&str]) -> Self {
        self.transport = json!({"type": "stdio", "command": program, "args": arguments});
        self
    }

    /// One more key of `transport`.
    #[must_use]
    pub fn transport(mut self, key: &str, value: Value) -> Self {
        if let Some(transport) = self.transport.as_object_mut() {
            transport.insert(key.to_owned(), value);
        }
        self
    }

    /// One more key of the server. A policy without a mode lets every tool run.
    #[must_use]
    pub fn with(mut self, key: &str, mut value: Value) -> Self {
        if let Some(policy) = value.as_object_mut().filter(|_| key == "policy") {
            policy.entry("mode").or_insert_with(|| json!("allow_all"));
        }
        self.others.insert(key.to_owned(), value);
        self
    }
}

/// The entry as a line of YAML, indented by two.
impl Display for NewToolServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut server = json!({"transport": self.transport});
        if let Some(server) = server.as_object_mut() {
            server.extend(self.others.clone());
        }
        writeln!(f, "  {}: {server}", self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_one_line_of_yaml() {
        let entry = a_tool_server("slow")
            .program(Path::new("/bin/peer"), &["--slow"])
            .transport("timeout", json!("1s"))
            .with("instructions", json!("be quick"));
        assert_eq!(
            entry.to_string(),
            "  slow: {\"transport\":{\"type\":\"stdio\",\"command\":\"/bin/peer\",\"args\":[\"--slow\"],\
             \"timeout\":\"1s\"},\"instructions\":\"be quick\",\
             \"policy\":{\"mode\":\"allow_all\"}}\n"
        );
    }
}
