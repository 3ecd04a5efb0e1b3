use serde_json::{Map, Value, json};
use tarsy_catalog::{Accept, Pin};

use super::*;

fn enforce() -> ToolPolicy {
    ToolPolicy { mode: PolicyMode::Enforce, ..ToolPolicy::default() }
}

fn hints(read_only: Option<bool>, destructive: Option<bool>) -> ToolAnnotations {
    let mut hints = ToolAnnotations::new();
    (hints.read_only_hint, hints.destructive_hint) = (read_only, destructive);
    hints
}

fn of(policy: &ToolPolicy, name: &str, hints: &ToolAnnotations, properties: Value) -> ToolTerms {
    let schema = Map::from_iter([("properties".to_owned(), properties)]);
    let tool = Declared { server: "s", name, description: "", schema: &schema };
    terms(policy, &Family::of("s", [name]), tool, hints)
}

#[test]
fn a_switch_for_dry_runs_counts_where_the_operator_lists_the_tool() {
    let (none, switch) = (ToolAnnotations::new(), json!({"dryRun": {"type": "boolean"}}));
    let listed = ToolPolicy { dry_run: vec!["scale_*".to_owned()], ..enforce() };
    let found = of(&listed, "scale_deployment", &none, switch.clone());
    assert_eq!(found.dry_run.as_deref(), Some("dryRun"));
    assert_eq!(of(&listed, "delete_deployment", &none, switch.clone()).dry_run, None);
    assert_eq!(of(&enforce(), "scale_deployment", &none, switch).dry_run, None);
    let text = json!({"dry_run": {"type": "string"}});
    assert_eq!(of(&listed, "scale_deployment", &none, text).dry_run, None);
}

#[test]
fn the_operators_lists_come_first_and_hints_of_a_change_before_names() {
    let policy = ToolPolicy {
        read_only: vec!["pods_*".to_owned()],
        write: vec!["*_exec".to_owned()],
        ..enforce()
    };
    let none = ToolAnnotations::new();
    for (name, hints, class, decided_by, reason) in [
        (
            "pods_delete",
            hints(Some(false), None),
            ToolClass::ReadOnly,
            Decider::Operator,
            "'pods_*'",
        ),
        ("pods_exec", hints(Some(true), None), ToolClass::Write, Decider::Operator, "'*_exec'"),
        (
            "nodes_list",
            hints(Some(false), None),
            ToolClass::Write,
            Decider::Server,
            "not read-only",
        ),
        (
            "nodes_list",
            hints(None, Some(false)),
            ToolClass::Write,
            Decider::Server,
            "adds something",
        ),
        ("nodes_list", hints(None, Some(true)), ToolClass::Write, Decider::Server, "destructive"),
        ("nodes_drain", hints(None, Some(true)), ToolClass::Write, Decider::Server, "destructive"),
        (
            "nodes_drain",
            hints(Some(false), None),
            ToolClass::Write,
            Decider::Server,
            "not read-only",
        ),
        ("nodes_list", none.clone(), ToolClass::ReadOnly, Decider::Name, "'list'"),
        ("nodes_list_delete", none.clone(), ToolClass::Write, Decider::Name, "'delete'"),
        ("nodes", none, ToolClass::Unknown, Decider::Nobody, "no verb"),
    ] {
        let terms = of(&policy, name, &hints, json!({}));
        assert_eq!((terms.class, terms.decided_by), (class, decided_by), "{name} {hints:?}");
        assert!(terms.reason.contains(reason), "{name}: {}", terms.reason);
    }
}

#[test]
fn a_hint_that_contradicts_the_name_or_that_nobody_accepted_grants_nothing() {
    let is_annotated = hints(Some(true), Some(false));
    for name in ["drop_all_tables", "nodes_delete", "promote_version"] {
        let terms = of(&enforce(), name, &is_annotated, json!({}));
        assert_eq!(
            (terms.class, terms.requirement),
            (ToolClass::Write, Requirement::Approval),
            "{name}"
        );
        assert!(terms.reason.contains("though its server says"), "{}", terms.reason);
    }
    for (name, properties) in [("cluster_status", json!({})), ("get_state", json!({"script": {}}))]
    {
        let terms = of(&enforce(), name, &is_annotated, properties);
        assert_eq!(
            (terms.class, terms.requirement),
            (ToolClass::Unknown, Requirement::Acceptance),
            "{name}"
        );
        assert!(terms.reason.contains("once it is accepted"), "{}", terms.reason);
    }
}

#[test]
fn a_tool_that_takes_statements_is_judged_call_by_call() {
    let none = ToolAnnotations::new();
    for (name, parameter) in [
        ("query", "sql"),
        ("explain_analyze", "sql"),
        ("mysql_query", "sql"),
        ("execute_sql", "query"),
        ("graphql", "query"),
        ("kubectl_get", "command"),
    ] {
        let terms = of(&enforce(), name, &none, json!({parameter: {"type": "string"}}));
        assert_eq!(terms.decided_by, Decider::Call, "{name}: {}", terms.reason);
        assert_eq!((terms.class, terms.requirement), (ToolClass::Unknown, Requirement::Approval));
        assert_eq!(terms.judged[0].parameter, parameter);
        let accepted = ToolPolicy { accept: Accept::All, ..enforce() };
        let terms = of(&accepted, name, &none, json!({parameter: {"type": "string"}}));
        assert_eq!(terms.requirement, Requirement::Approval, "{name}");
    }
    for (name, properties) in [
        ("create_view", json!({"sql": {}})),
        ("execute_sql", json!({"sql": {}, "dry_run": {"type": "boolean"}})),
        ("execute_script", json!({"script": {}})),
        ("run_everything", json!({})),
        ("run_action", json!({"action": {"type": "string"}})),
    ] {
        let terms = of(&enforce(), name, &none, properties);
        assert_eq!(
            (terms.class, terms.judged.len()),
            (ToolClass::Write, 0),
            "{name}: {}",
            terms.reason
        );
    }
    let switched = of(&enforce(), "list_dry", &none, json!({"dry_run": {"type": "boolean"}}));
    assert_eq!(
        (switched.class, switched.requirement),
        (ToolClass::Unknown, Requirement::Acceptance)
    );
    let undeclared = terms(
        &enforce(),
        &Family::default(),
        Declared { server: "s", name: "query", description: "", schema: &Map::new() },
        &none,
    );
    assert_eq!(undeclared.class, ToolClass::Unknown);
}

#[test]
fn a_tool_that_may_change_something_by_a_parameter_runs_for_nobody() {
    let none = ToolAnnotations::new();
    let text = json!({"type": "string"});
    for (name, properties) in [
        ("get_rows", json!({"consulta": text})),
        ("get_rows", json!({"query": text})),
        ("query", json!({"pregunta": text})),
        ("query", json!({})),
        ("explain", json!({})),
        ("get_pods", json!({"type": {"enum": ["list", "delete"]}})),
        ("get_pods", json!({"what": {"enum": ["get", "restart"]}})),
        ("get_tool_result", json!({"tool": text, "params": {"type": "object"}})),
        ("get_resource", json!({"path": text, "requestType": text})),
        ("list_dry", json!({"dry_run": {"type": "integer"}})),
        ("list_users", json!({"and_delete": {"type": "boolean"}})),
        ("kubectl_get", json!({"name": text, "flags": text})),
        ("read_graphql", json!({"document": text})),
        ("get_report", json!({"input": {"type": "string", "description": "Bash script"}})),
        ("get_items", json!({"filter": {"allOf": [{"properties": {"script": text}}]}})),
        ("getDELETEpod", json!({})),
        ("list_dropall", json!({})),
        ("describe_and_removes", json!({})),
    ] {
        let terms = of(&enforce(), name, &none, properties.clone());
        assert_ne!(terms.requirement, Requirement::None, "{name} {properties}: {}", terms.reason);
        assert_ne!(terms.class, ToolClass::ReadOnly, "{name} {properties}: {}", terms.reason);
    }
    let whole = json!({"allOf": [{"properties": {"sql": text}}]});
    let tool = Declared {
        server: "s",
        name: "get_rows",
        description: "",
        schema: whole.as_object().unwrap(),
    };
    let class = terms(&enforce(), &Family::of("s", ["get_rows"]), tool, &none).class;
    assert_eq!(class, ToolClass::Unknown);
}

#[test]
fn a_language_in_which_nothing_can_be_changed_reads() {
    let none = ToolAnnotations::new();
    let promql = json!({"query": {"type": "string", "description": "A PromQL expression"}});
    for name in ["execute_query", "query_range", "query"] {
        let terms = of(&enforce(), name, &none, promql.clone());
        assert_eq!(terms.class, ToolClass::ReadOnly, "{name}: {}", terms.reason);
    }
}

#[test]
fn hints_that_are_the_defaults_of_the_protocol_count_as_none() {
    let mut defaults = hints(Some(false), Some(true));
    (defaults.idempotent_hint, defaults.open_world_hint) = (Some(false), Some(true));
    let class = |hints: &ToolAnnotations| of(&enforce(), "nodes_list", hints, json!({})).class;
    assert_eq!(class(&defaults), ToolClass::ReadOnly);
    let named = of(&enforce(), "nodes_delete", &defaults, json!({}));
    assert_eq!(named.reason, "its name has the word 'delete'");
    defaults.idempotent_hint = Some(true);
    assert_eq!(class(&defaults), ToolClass::Write);
}

#[test]
fn a_call_needs_what_its_class_and_the_policy_require() {
    let none = ToolAnnotations::new();
    let needed = |policy: &ToolPolicy, name| of(policy, name, &none, json!({})).requirement;
    let listed = enforce();
    assert_eq!(needed(&listed, "pods_list"), Requirement::None);
    assert_eq!(needed(&listed, "pods_delete"), Requirement::Approval);
    assert_eq!(needed(&listed, "pods"), Requirement::Acceptance);
    let all = ToolPolicy { accept: Accept::All, pin: Pin::Warn, ..enforce() };
    assert_eq!(needed(&all, "pods"), Requirement::None);
    assert_eq!(needed(&all, "pods_delete"), Requirement::Approval);
    let allow_all = ToolPolicy { mode: PolicyMode::AllowAll, ..enforce() };
    assert_eq!(needed(&allow_all, "pods_delete"), Requirement::None);
}
