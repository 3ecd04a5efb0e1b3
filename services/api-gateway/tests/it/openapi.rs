use std::path::Path;

use tarsy_testkit::workspace;

/// `cargo test` with `TARSY_TEST_BLESS=1` writes the file anew.
#[test]
fn the_committed_description_of_the_api_is_current() {
    let path = workspace().join("services/api-gateway/openapi.json");
    let current = tarsy_api_gateway::openapi().to_pretty_json().unwrap() + "\n";
    if bless() {
        std::fs::write(&path, &current).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == current, "{}", advice(&path));
}

#[expect(clippy::disallowed_methods, reason = "tests have no settings but the environment")]
fn bless() -> bool {
    std::env::var("TARSY_TEST_BLESS").is_ok()
}

fn advice(path: &Path) -> String {
    format!(
        "{} is not current: run `TARSY_TEST_BLESS=1 cargo test -p tarsy-api-gateway openapi`",
        path.display()
    )
}

#[test]
fn every_operation_of_the_contract_is_described() {
    let description = serde_json::to_value(tarsy_api_gateway::openapi()).unwrap();
    for (method, path) in [
        ("post", "/alerts"),
        ("get", "/sessions"),
        ("get", "/sessions/active"),
        ("get", "/sessions/filter-options"),
        ("get", "/sessions/{id}"),
        ("get", "/sessions/{id}/summary"),
        ("get", "/sessions/{id}/status"),
        ("post", "/sessions/{id}/cancel"),
        ("post", "/sessions/{id}/chat/messages"),
        ("get", "/sessions/{id}/timeline"),
        ("get", "/sessions/{id}/trace"),
        ("get", "/sessions/{id}/trace/llm/{interaction_id}"),
        ("get", "/sessions/{id}/trace/mcp/{interaction_id}"),
        ("get", "/sessions/{id}/trace/mcp/{interaction_id}/result"),
        ("get", "/system/warnings"),
        ("get", "/system/mcp-servers"),
        ("get", "/system/default-tools"),
        ("get", "/system/info"),
        ("get", "/alert-types"),
        ("get", "/example-alerts"),
        ("get", "/runbooks"),
        ("post", "/slack/interactions"),
    ] {
        let operation = &description["paths"][format!("/api/v1{path}")][method];
        assert!(operation["operationId"].is_string(), "{method} {path} is not described");
    }
}
