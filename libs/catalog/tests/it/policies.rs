//! Policies of tool servers: what an entry that says nothing has.

use tarsy_catalog::PolicyMode;

use crate::support::tarsy;

#[test]
fn a_server_without_a_mode_is_enforced_with_a_warning_and_the_way_back() {
    let load = |policy: &str| {
        let text = format!(
            "mcp_servers:\n  grafana:\n    transport: {{type: http, url: 'https://grafana.example/mcp'}}\n{policy}"
        );
        tarsy(&text)
    };
    for policy in ["", "    policy: {allow: ['get_*']}\n"] {
        let catalog = load(policy);
        assert_eq!(catalog.servers["grafana"].policy.mode, PolicyMode::Enforce);
        let warnings: Vec<String> = catalog.warnings.iter().map(ToString::to_string).collect();
        let [warning] = warnings.as_slice() else { panic!("{warnings:?}") };
        assert!(
            warning.contains("mcp_servers.grafana") && warning.contains("`enforce`"),
            "{warning}"
        );
        assert!(warning.contains("policy: {mode: allow_all}"), "{warning}");
    }
    for (mode, expected) in [("enforce", PolicyMode::Enforce), ("allow_all", PolicyMode::AllowAll)]
    {
        let catalog = load(&format!("    policy: {{mode: {mode}}}\n"));
        assert_eq!(catalog.servers["grafana"].policy.mode, expected);
        assert!(catalog.warnings.is_empty(), "{:?}", catalog.warnings);
    }
}

#[test]
fn an_entry_for_a_built_in_server_keeps_what_is_known_of_its_tools() {
    let text = "mcp_servers:\n  kubernetes-server:\n    transport: {type: http, url: 'http://k:8080/mcp'}\n    \
                policy: {mode: enforce}\n  host:\n    transport: {type: http, url: 'http://h:8080/mcp'}\n    \
                policy: {mode: enforce, read_only: [uptime]}\n";
    let catalog = tarsy(text);
    let known = |id: &str| catalog.servers[id].policy.read_only.clone();
    assert!(known("kubernetes-server").contains(&"pods_log".to_owned()));
    assert_eq!(known("host"), ["uptime"]);
}
