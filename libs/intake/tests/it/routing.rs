//! Rules of an operator.

use tarsy_intake::{Alert, Field, Kind, Matcher, Rule, Test, route};

use crate::support::{alert, payload};

fn an_alert() -> Alert {
    alert(Kind::Alertmanager, &payload("alertmanager"))
}

fn label(name: &str) -> Field {
    Field::Label(name.to_owned())
}

fn a_rule(name: &str, matchers: Vec<(Field, Test)>) -> Rule {
    Rule {
        name: name.to_owned(),
        matchers: matchers.into_iter().map(|(field, test)| Matcher { field, test }).collect(),
        alert_type: Some(format!("type-{name}")),
        severity: None,
        runbook: None,
    }
}

fn equals(text: &str) -> Test {
    Test::Equals(text.to_owned())
}

fn fits(field: Field, test: Test) -> bool {
    route(&[a_rule("r", vec![(field, test)])], None, &an_alert()).rule.is_some()
}

#[test]
fn the_first_rule_that_fits_counts() {
    let mut rules = vec![
        a_rule("cart", vec![(Field::Service, equals("cart"))]),
        a_rule("shop", vec![(Field::Namespace, equals("shop")), (label("job"), equals("node"))]),
        a_rule("all", Vec::new()),
    ];
    rules[1].severity = Some("page".to_owned());
    rules[1].runbook = Some("https://runbooks.example/shop".to_owned());
    let route = route(&rules, Some("kubernetes"), &an_alert());
    assert_eq!(route.rule.as_deref(), Some("shop"));
    assert_eq!(route.alert_type.as_deref(), Some("type-shop"));
    assert_eq!(route.severity.as_deref(), Some("page"));
    assert_eq!(route.runbook.as_deref(), Some("https://runbooks.example/shop"));
    assert_eq!(
        route.to_string(),
        "cart: does not match, service = cart is required, the alert has checkout\nshop: matches"
    );
}

#[test]
fn without_a_rule_the_source_decides() {
    let rules = [a_rule("cart", vec![(label("none"), equals("x"))])];
    let route = route(&rules, Some("kubernetes"), &an_alert());
    assert_eq!((route.rule, route.alert_type.as_deref()), (None, Some("kubernetes")));
    assert_eq!(route.severity.as_deref(), Some("critical"));
    assert_eq!(route.misses[0].found, None);
}

#[test]
fn a_rule_without_a_type_leaves_that_of_the_source() {
    let rule = Rule { alert_type: None, ..a_rule("all", Vec::new()) };
    assert_eq!(route(&[rule], Some("host"), &an_alert()).alert_type.as_deref(), Some("host"));
}

#[test]
fn every_part_of_an_alert_can_be_matched() {
    for (field, text) in [
        (Field::Source, "it"),
        (Field::Title, "The disk of web-3 is almost full"),
        (Field::Severity, "critical"),
        (Field::Status, "firing"),
        (Field::Service, "checkout"),
        (Field::Namespace, "shop"),
        (Field::Cluster, "eu-1"),
        (label("instance"), "web-3:9100"),
        (Field::Annotation("description".to_owned()), "/var has 3 % left."),
    ] {
        assert!(fits(field.clone(), equals(text)), "{field}");
        assert!(!fits(field.clone(), equals("other")), "{field}");
    }
}

#[test]
fn an_expression_fits_the_whole_text() {
    for (expression, expected) in
        [("web-.*", true), ("web", false), ("web-3:9100|x", true), ("x|web-3", false), ("", false)]
    {
        let test = Test::regex(expression).unwrap();
        assert_eq!(fits(label("instance"), test), expected, "{expression}");
    }
    assert!(fits(label("none"), Test::regex("").unwrap()), "an absent label is empty");
}

#[test]
fn a_label_can_be_needed_or_forbidden() {
    assert!(fits(label("job"), Test::Present(true)));
    assert!(!fits(label("job"), Test::Present(false)));
    assert!(fits(label("none"), Test::Present(false)));
}

#[test]
fn what_is_no_expression_is_refused() {
    for expression in ["(", "a)|(b", "(?=x)", "(a{1000}){1000}"] {
        let error = Test::regex(expression).unwrap_err().to_string();
        assert!(error.contains("is no regular expression"), "{error}");
    }
}
