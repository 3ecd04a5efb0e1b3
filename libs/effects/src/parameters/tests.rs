use serde_json::{Map, json};

use super::*;

fn of(server: &str, name: &str, description: &str, properties: Value) -> Parameters {
    let schema = Map::from_iter([("properties".to_owned(), properties)]);
    read_parameters(Declared { server, name, description, schema: &schema })
}

fn judged(name: &str, properties: Value) -> Vec<Language> {
    let found = of("s", name, "", properties);
    assert_eq!(found.unjudged, None, "{name}");
    found.judged.into_iter().map(|judged| judged.language).collect()
}

#[test]
fn data_is_neither_a_program_nor_a_switch() {
    for properties in [
        json!({"namespace": {"type": "string"}, "tail": {"type": "integer"}, "follow": {"type": "boolean"}}),
        json!({"commit": {"type": "string"}, "start_time": {"type": "string"}, "query": {"type": "string"}}),
        json!({"filter": {"type": "object", "properties": {"state": {"type": "string"}}}}),
        json!({"include_deleted": {"type": "boolean"}, "mode": {"enum": ["brief", "full"]}}),
        json!({"action": {"type": "string", "enum": ["list", "get"]}}),
        json!({"scriptName": {"type": "string"}, "command_id": {"type": "string"}}),
        json!({"query_body": {"type": "object"}}),
    ] {
        let found = of("s", "search_things", "", properties.clone());
        assert_eq!(found, Parameters::default(), "{properties}");
    }
}

#[test]
fn a_program_or_a_switch_keeps_calls_from_being_judged() {
    for properties in [
        json!({"script": {"type": "string"}}),
        json!({"cypher": {}}),
        json!({"command": {"type": "string"}}),
        json!({"args": {"type": "array"}}),
        json!({"expression": {"type": "string"}}),
        json!({"pipeline": {"type": "array"}}),
        json!({"dry_run": {"type": "boolean"}}),
        json!({"dryRun": {"type": "string"}}),
        json!({"force": {}}),
        json!({"ack_mode": {"type": "string"}}),
        json!({"deleteAfter": {"type": "boolean"}}),
        json!({"readOnly": {"type": "boolean"}}),
        json!({"body": {"type": "object"}}),
        json!({"request_body": {"type": "object"}}),
        json!({"new_value": {"type": "string"}}),
        json!({"where": {"type": "string"}}),
        json!({"delete_after": {"anyOf": [{"type": "boolean"}, {"type": "null"}]}}),
        json!({"text": {"type": "string", "description": "The text to execute on the host"}}),
        json!({"input": {"type": "object", "properties": {"script": {"type": "string"}}}}),
        json!({"input": {"anyOf": [{"type": "null"}, {"properties": {"force": {"type": "boolean"}}}]}}),
    ] {
        let found = of("s", "list_things", "", properties.clone());
        assert!(found.unjudged.is_some(), "{properties}: {found:?}");
    }
}

#[test]
fn a_program_or_a_switch_is_found_however_it_is_called() {
    let described = |text: &str| json!({"type": "string", "description": text});
    for properties in [
        // In another language, or in other signs.
        json!({"consulta": {"type": "string"}}),
        json!({"befehl": {"type": "string"}}),
        json!({"requete": {"type": "string"}}),
        json!({"forzar": {"type": "boolean"}}),
        json!({"команда": {"type": "string"}}),
        json!({"命令": {"type": "string"}}),
        // Written as one word, or encoded.
        json!({"cmdline": {"type": "string"}}),
        json!({"shellcmd": {"type": "string"}}),
        json!({"payload_b64": {"type": "string"}}),
        json!({"script_base64": {"type": "string"}}),
        json!({"encodedCommand": {"type": "string"}}),
        json!({"args_json": {"type": "string"}}),
        json!({"powershell": {"type": "string"}}),
        json!({"statement": {"type": "string"}}),
        json!({"operations": {"type": "array"}}),
        json!({"steps": {"type": "array"}}),
        json!({"stmt": {"type": "string"}}),
        // By what is said of it.
        json!({"input": described("A bash script")}),
        json!({"content": described("Cypher query")}),
        json!({"foo": described("PowerShell code")}),
        json!({"text": {"type": "string", "title": "Python code"}}),
        // What a request carries, without a method.
        json!({"url": {"type": "string"}, "data": {"type": "object"}}),
        json!({"endpoint": {"type": "string"}, "json": {"type": "object"}}),
        json!({"url": {"type": "string"}, "postData": {"type": "string"}}),
        // Switches.
        json!({"force": {"type": "integer"}}),
        json!({"dry_run": {"type": "integer"}}),
        json!({"dryRun": {"enum": ["none", "server"]}}),
        json!({"simulate": {"type": "boolean"}}),
        json!({"what_if": {"type": "boolean"}}),
        json!({"and_delete": {"type": "boolean"}}),
        json!({"thenRestart": {"type": ["boolean", "null"]}}),
        json!({"autoRemediate": {"type": "boolean"}}),
        json!({"autoHeal": {"type": "boolean"}}),
        json!({"and_evict": {"type": "boolean"}}),
        json!({"drain": {"type": "boolean"}}),
        json!({"rotate": {"type": ["boolean", "null"]}}),
        json!({"skip_confirmation": {"type": "boolean"}}),
        // Where it writes what it has read.
        json!({"destination_table": {"type": "string"}}),
        json!({"outputPath": {"type": "string"}}),
        json!({"save_to": {"type": "string"}}),
        json!({"into": {"type": "string"}}),
        json!({"js": {"type": "string"}}),
        json!({"subcommand": {"type": "string"}}),
        json!({"delete": {"type": "string"}}),
        json!({"terminate": {}}),
        // Further inside, and beside the properties.
        json!({"filter": {"type": "object", "additionalProperties": {"properties": {"script": {}}}}}),
        json!({"items": {"type": "array", "prefixItems": [{"properties": {"force": {"type": "boolean"}}}]}}),
        json!({"one": {"if": {}, "then": {"properties": {"command": {"type": "string"}}}}}),
        json!({"one": {"$ref": "https://a.example/schema"}}),
    ] {
        let found = of("s", "list_things", "", properties.clone());
        assert!(found.unjudged.is_some(), "{properties}: {found:?}");
    }
    for part in [
        json!({"allOf": [{"properties": {"script": {"type": "string"}}}]}),
        json!({"oneOf": [{"properties": {"a": {}}}, {"properties": {"force": {"type": "boolean"}}}]}),
        json!({"$ref": "#/$defs/Input", "$defs": {"Input": {"properties": {"command": {}}}}}),
        json!({"patternProperties": {".*": {"properties": {"script": {}}}}}),
        json!({"properties": {}, "then": {"properties": {"sql": {}}}}),
    ] {
        let schema = part.as_object().unwrap();
        let tool = Declared { server: "s", name: "list_things", description: "", schema };
        assert!(read_parameters(tool).unjudged.is_some(), "{part}");
    }
}

#[test]
fn an_operation_is_judged_by_its_values_however_it_is_called() {
    for properties in [
        json!({"type": {"enum": ["list", "delete"]}}),
        json!({"what": {"enum": ["read_pod", "restart_pod"]}}),
        json!({"kind": {"oneOf": [{"const": "get"}, {"const": "remove"}]}}),
        json!({"actions": {"type": "array", "items": {"enum": ["list", "purge"]}}}),
        json!({"requestType": {"type": "string"}}),
        json!({"http_verb": {"type": "string"}}),
        json!({"url": {}, "method_name": {"type": "string"}}),
        json!({"path": {}, "operationType": {"type": "string"}}),
        json!({"do": {"type": "string"}}),
        json!({"tool_name": {"type": "string"}, "arguments_of_it": {}, "params": {"type": "object"}}),
    ] {
        let found = of("s", "get_things", "", properties.clone());
        let operations = found.judged.iter().filter(|one| one.language == Language::Operation);
        assert_eq!(operations.count(), 1, "{properties}: {found:?}");
    }
    for properties in [
        json!({"permission": {"enum": ["read", "write"]}}),
        json!({"sort": {"enum": ["created", "updated"]}}),
        json!({"state": {"enum": ["open", "closed"]}}),
        json!({"view": {"enum": ["list", "table"]}}),
        json!({"event": {"enum": ["push", "delete"]}}),
    ] {
        let found = of("s", "list_things", "", properties.clone());
        assert_eq!(found, Parameters::default(), "{properties}");
    }
}

#[test]
fn a_statement_is_judged_however_it_is_called() {
    for parameter in ["sqltext", "rawSql", "sqlStatements", "dbsql", "query_text", "userquery", "q"]
    {
        let found = of("pg", "run_it", "", json!({parameter: {"type": "string"}}));
        assert_eq!(found.judged.len(), 1, "{parameter}: {found:?}");
    }
    let described = json!({"input": {"type": "string", "description": "The SQL statement"}});
    assert_eq!(judged("get_rows", described), [Language::Sql]);
    assert_eq!(judged("get_graphql", json!({"document": {"type": "string"}})), [Language::Graphql]);
    // What says nothing is no data where the tool runs or asks what it is given.
    for (name, parameter) in
        [("query", "pregunta"), ("sql", "x"), ("run_query", "frage"), ("ask_database", "que")]
    {
        let found = of("s", name, "", json!({parameter: {"type": "string"}}));
        assert!(found.unjudged.is_some(), "{name} {parameter}: {found:?}");
    }
    let rows = of("s", "get_rows", "", json!({"query": {"type": "string"}}));
    assert!(rows.unjudged.is_some());
    let run = of("s", "query_run", "", json!({"query": {"type": "object"}}));
    assert!(run.unjudged.is_some());
    let flags = of("s", "kubectl_get", "", json!({"flags": {"type": "object"}}));
    assert!(flags.unjudged.is_some());
    for (name, parameter) in [
        ("search_issues", "query"),
        ("query_metrics", "namespace"),
        ("query_metrics", "percentile"),
        ("query_metrics", "startTime"),
        ("list_flags", "flags"),
        ("search_flux_docs", "query"),
        ("list_schemas", "latestOnly"),
    ] {
        let found = of("s", name, "", json!({parameter: {"type": "string"}}));
        assert_eq!(found, Parameters::default(), "{name} {parameter}");
    }
}

#[test]
fn a_reference_is_followed_and_one_without_an_end_is_no_data() {
    let schema = json!({
        "properties": {"input": {"$ref": "#/$defs/Input"}},
        "$defs": {"Input": {"properties": {"dry_run": {"type": "boolean"}}}},
    });
    let of = |schema: &Value| {
        let schema = schema.as_object().unwrap();
        read_parameters(Declared { server: "s", name: "list_things", description: "", schema })
    };
    assert!(of(&schema).unjudged.is_some());
    let endless = json!({
        "properties": {"input": {"$ref": "#/$defs/Input"}},
        "$defs": {"Input": {"properties": {"a": {"$ref": "#/$defs/Input"}, "b": {"$ref": "#/$defs/Input"}}}},
    });
    assert!(of(&endless).unjudged.is_some());
}

#[test]
fn statements_of_known_languages_are_judged_in_the_dialect_of_their_system() {
    assert_eq!(judged("query", json!({"sql": {"type": "string"}})), [Language::Sql]);
    assert_eq!(judged("mysql_query", json!({"sql": {"type": "string"}})), [Language::Mysql]);
    assert_eq!(
        judged("query_clickhouse", json!({"query": {"type": "string"}})),
        [Language::Clickhouse]
    );
    let described = json!({"query": {"type": "string", "description": "A GraphQL document"}});
    assert_eq!(judged("run_query", described), [Language::Graphql]);
    assert_eq!(judged("kubectl_get", json!({"command": {"type": "string"}})), [Language::Kubectl]);
    assert_eq!(judged("kubectl", json!({"args": {"type": "array"}})), [Language::Kubectl]);
    let by_server = of("pg-main", "query", "", json!({"query": {}}));
    assert_eq!(by_server.judged[0].language, Language::Postgresql);
    let by_description = of("s", "query", "Runs a SQL statement", json!({"statement": {}}));
    assert_eq!(by_description.judged[0].language, Language::Sql);
}

#[test]
fn requests_are_judged_by_method_and_body() {
    let request = json!({
        "url": {"type": "string"}, "method": {"type": "string", "default": "GET"}, "body": {"type": "string"},
    });
    let found = of("s", "http_request", "", request);
    let expected = [("method", Language::Operation), ("body", Language::Nothing)];
    let taken = found.judged.iter().map(|one| (one.parameter.as_str(), one.language));
    assert!(taken.eq(expected), "{found:?}");
    assert!(found.judged.iter().all(|one| one.may_be_absent) && found.unjudged.is_none());
    assert!(found.has_address);
    let named = json!({"httpMethod": {"type": "string"}, "path": {"type": "string"}});
    assert_eq!(judged("get_resource", named), [Language::Operation]);
    let optional = json!({"mode": {"anyOf": [{"enum": ["read", "write"]}, {"type": "null"}]}});
    assert_eq!(judged("get_things", optional), [Language::Operation]);
    let chosen = json!({"action": {"type": "string", "enum": ["list", "delete"]}});
    assert_eq!(judged("get_things", chosen), [Language::Operation]);
}

#[test]
fn a_language_that_only_reads_is_data_but_a_command_of_its_system_is_not() {
    for (name, properties) in [
        ("query_prometheus", json!({"expr": {"type": "string"}})),
        ("execute_query", json!({"query": {"description": "PromQL"}})),
        ("query_loki_logs", json!({"logql": {}})),
    ] {
        let found = of("s", name, "", properties);
        assert!(found.judged.is_empty() && found.unjudged.is_none(), "{found:?}");
        assert!(found.reading.is_some(), "{name}");
    }
    let command = of("prometheus", "execute_query", "", json!({"command": {"type": "string"}}));
    assert!(command.unjudged.is_some() && command.reading.is_none());
    for parameter in ["query", "q", "text", "input"] {
        let unknown = of("s", "query", "", json!({parameter: {"type": "string"}}));
        assert!(unknown.unjudged.is_some(), "{parameter}");
    }
    let graph = of("neo4j", "read", "", json!({"query": {"type": "string"}}));
    assert!(graph.unjudged.is_some());
}
