//! The lines that connect a system: each is read as the file is, and no value gets out of its place.

use std::collections::BTreeMap;

use tarsy_catalog::{
    Catalog, Connection, Endpoint, Env, PolicyMode, Source, Sources, connection, connection_kinds,
    server_at,
};

fn values(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect()
}

/// The file with these lines alone, for a process that has exactly the variables that they need.
fn load(connection: &Connection) -> Catalog {
    let tarsy = Source { name: "tarsy.yaml".to_owned(), text: connection.yaml.clone() };
    let env = Env::of(connection.variables.iter().map(|name| (name.clone(), "a-secret")));
    let sources = Sources { tarsy: Some(tarsy), ..Sources::default() };
    Catalog::load(sources, &env).unwrap_or_else(|report| panic!("{}\n{report}", connection.yaml))
}

fn faults(kind: &str, pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    let faults = connection(kind, &values(pairs)).unwrap_err();
    faults.into_iter().map(|fault| (fault.field, fault.message)).collect()
}

#[test]
fn every_kind_gives_lines_without_a_problem_or_a_warning() {
    for kind in connection_kinds() {
        // With all values, and with those alone that are required.
        let full = kind.fields.iter().map(|field| match field.name {
            "server" => (field.name, "Second_one-2"),
            "kubeconfig" => (field.name, "/home/me/my \"configs\"/config: #1"),
            "url" => (field.name, "https://grafana.example:8443/a/b"),
            "alert_type" => (field.name, "Disk: \"full\" & 'slow' \\ \u{fc}"),
            _ => (field.name, "A_TOKEN"),
        });
        for filled in [values(&full.collect::<Vec<_>>()), BTreeMap::new()] {
            let connection = connection(kind.name, &filled).unwrap();
            let catalog = load(&connection);
            assert_eq!(catalog.warnings, [], "{}", connection.yaml);
            let server = &catalog.servers[&connection.server];
            assert!(!server.builtin && server.policy.mode == PolicyMode::Enforce);
            assert_eq!(
                kind.can_be_tried,
                matches!(server.transport.endpoint, Endpoint::Http(_)),
                "a browser never tries a program: {}",
                kind.name
            );
            assert_eq!(filled.is_empty(), connection.chain.is_none());
            if let Some(chain) = &connection.chain {
                let resolved =
                    catalog.resolve_chain(filled.get("alert_type").map(String::as_str), None);
                let resolved = resolved.unwrap();
                assert_eq!(&resolved.chain_id, chain);
                let agent = &resolved.stages[0].agents[0];
                let [named] = agent.servers.as_slice() else { panic!("{agent:?}") };
                assert_eq!(named.id, connection.server);
            }
        }
    }
}

#[test]
fn the_built_in_server_of_kubernetes_and_its_lines_agree() {
    let builtin = Catalog::builtin(&Env::empty()).unwrap();
    let written = load(&connection("kubernetes", &BTreeMap::new()).unwrap());
    let (builtin, written) =
        (&builtin.servers["kubernetes-server"], &written.servers["kubernetes-server"]);
    assert_eq!(written.policy, builtin.policy);
    assert_eq!(written.data_masking, builtin.data_masking);
    let (Endpoint::Stdio(known), Endpoint::Stdio(program)) =
        (&builtin.transport.endpoint, &written.transport.endpoint)
    else {
        panic!("both are programs");
    };
    assert_eq!(program.args, known.args);
    assert_eq!(program.inherit_env, known.inherit_env);
    assert_eq!(program.sandbox, known.sandbox);
}

#[test]
fn a_secret_is_the_name_of_a_variable() {
    let filled = values(&[("token_variable", "PROM_TOKEN"), ("url", "http://prom:9090")]);
    let lines = connection("prometheus", &filled).unwrap();
    assert_eq!(lines.variables, ["PROM_TOKEN"]);
    insta::assert_snapshot!(lines.yaml, @r#"
    mcp_servers:
      "prometheus":
        transport:
          type: stdio
          command: uvx
          args: ["prometheus-mcp-server@1.6.2"]
          init_timeout: 60s
          env:
            PROMETHEUS_URL: "http://prom:9090"
            PROMETHEUS_TOKEN: "{{.PROM_TOKEN}}"
        policy:
          mode: enforce
          require_read_only: true
          read_only: [execute_query, execute_range_query, get_metric_metadata, get_targets, health_check, list_metrics]
          reaches_own_system: ["*"]
    "#);
}

#[test]
fn each_bad_value_names_its_field_and_the_fix_and_is_not_repeated() {
    for (kind, field, value, fix) in [
        ("prometheus", "server", "a b", "letters, digits"),
        ("prometheus", "server", "", "fill it in"),
        ("prometheus", "url", "localhost:9090", "http://"),
        ("prometheus", "url", "ftp://secret-host/", "http://"),
        ("prometheus", "url", "http://me:hunter2@prom/", "environment variable"),
        ("prometheus", "url", "http://prom/?token=hunter2", "remove it"),
        ("prometheus", "url", "http://prom/{{.HOME}}", "plain value"),
        ("prometheus", "token_variable", "ghp_hunter2", "capital letters"),
        ("loki", "token_variable", " ", "fill it in"),
        ("postgresql", "dsn_variable", "postgres://u:hunter2@h/d", "never here"),
        ("kubernetes", "kubeconfig", "~/.kube/config", "absolute path"),
        ("kubernetes", "kubeconfig", "/a\nb: c", "remove it"),
        ("kubernetes", "alert_type", "{{.DATABASE_URL}}", "plain value"),
        ("tool-server", "command", "sh", "is no field"),
    ] {
        let all = faults(kind, &[(field, value)]);
        let [(named, message)] = all.as_slice() else { panic!("{kind} {field}: {all:?}") };
        assert_eq!(named, field, "{message}");
        assert!(message.contains(fix), "{message}");
        assert!(!message.contains("hunter2"), "{message}");
    }
    let all = faults("prometheus", &[("server", "-- --"), ("url", "x"), ("token_variable", "x")]);
    assert_eq!(all.len(), 3, "all at once: {all:?}");
    assert_eq!(faults("mysql", &[])[0].0, "kind");
}

#[test]
fn a_server_at_an_address_has_no_credentials() {
    let server = server_at("http://tools.example:8000/mcp").unwrap();
    let Endpoint::Http(remote) = &server.transport.endpoint else { panic!("{server:?}") };
    assert!(remote.bearer_token.is_none() && remote.custom_headers.is_empty());
    assert_eq!(server_at("file:///etc/passwd").unwrap_err()[0].field, "url");
}

#[test]
fn kubernetes_is_connected_as_the_built_in_server_is() {
    let built_in = Catalog::load(Sources::default(), &Env::new(|_| None)).unwrap();
    let lines = load(&connection("kubernetes", &BTreeMap::new()).unwrap());
    let of = |catalog: &Catalog| {
        let server = &catalog.servers["kubernetes-server"];
        let Endpoint::Stdio(child) = &server.transport.endpoint else { panic!("not stdio") };
        (child.command.clone(), child.args.clone(), format!("{:?}", server.policy))
    };
    assert_eq!(of(&lines), of(&built_in));
}
