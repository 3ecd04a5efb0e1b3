use serde_json::json;
use tarsy_contracts::mcp::ToolTerms;

use super::*;

fn allowed() -> HostList {
    HostList::parse(["shop.example", "10.0.0.0/8", "*.internal.example"]).unwrap()
}

fn found(reach: ToolReach, arguments: &Value) -> Option<Fault> {
    fault(reach, arguments.as_object().unwrap(), &allowed())
}

#[test]
fn a_call_that_names_allowed_hosts_alone_is_made() {
    for arguments in [
        json!({"url": "https://shop.example/health?a=b"}),
        json!({"url": "https://SHOP.example.:8443"}),
        json!({"url": "shop.example/health", "method": "GET", "timeout_ms": 500, "version": "1.2"}),
        json!({"host": "web-1.internal.example", "port": 22}),
        json!({"targets": ["http://10.1.2.3/", "shop.example:80"]}),
        json!({"name": "shop.example"}),
        json!({"url": "http://0x0a000001/"}),
        json!({"url": "https://shop.example/a,b?c=d;e=(f)&g=h@i"}),
        json!({"url": "http://[::ffff:10.0.0.1]:8080/"}),
        json!({"text": "compare https://shop.example/a, and 'https://shop.example/b'."}),
    ] {
        assert_eq!(found(ToolReach::AnyHost, &arguments), None, "{arguments}");
    }
}

#[test]
fn a_call_that_names_another_host_or_none_is_not_made() {
    for arguments in [
        json!({"url": "https://evil.example/?log=secret"}),
        json!({"url": "https://shop.example@evil.example/"}),
        json!({"url": "https://shop.example\\@evil.example/"}),
        json!({"url": "https://shop.example.evil.example/"}),
        json!({"url": "//evil.example/"}),
        json!({"url": "evil.example"}),
        json!({"url": "http://2852039166/"}),
        json!({"url": "http://[::ffff:192.168.0.1]/"}),
        json!({"url": "http://169.254.169.254/latest/meta-data"}),
        json!({"url": "web"}),
        json!({"name": "secret.evil.example"}),
        json!({"name": "localhost"}),
        json!({"urls": ["https://shop.example/", "https://evil.example/"]}),
        json!({"request": {"address": {"host": "evil.example"}}}),
        json!({"url": "https://shop.example", "proxy": "http://evil.example"}),
        json!({"url": "https://shop.example", "headers": {"Host": "evil.example"}}),
        json!({"url": "https://shop.example", "via": "evil.example:8080"}),
        json!({"url": "https://shop.example", "host": 2_852_039_166_u32}),
        json!({"url": "https://shop.example", "map": {"http://evil.example": 1}}),
        json!({"text": "see https://shop.example and https://evil.example/"}),
        json!({"text": "see https://shop.example and evil.example."}),
        json!({"url": "https://shop.example evil.example"}),
        json!({"url": "https://shop.example/,https://evil.example/"}),
        json!({"url": "https://shop.example/;evil.example"}),
        json!({"url": "https://shop.example<@evil.example/"}),
        json!({"url": "https://shop.example", "options": "--proxy=evil.example:8080"}),
        json!({"url": "https://shop.example", "options": "--proxy=http://evil.example"}),
        json!({"url": "https://shop.example", "target": "root@evil.example"}),
        json!({"url": "https://shop.example", "targets": "shop.example,evil.example"}),
        json!({"url": "https://shop.example", "via": "9.9.9.9:80"}),
        json!({"url": "https://shop.example", "via": "0x9.9.9.9/a"}),
        json!({"url": "https://shop.example", "via": "[2001:db8::1]:80"}),
        json!({"url": "*"}),
        json!({"url": "http://*/"}),
        json!({"query": "is the shop down?"}),
        json!({"a": "one", "b": "two"}),
        json!({"count": 1}),
        json!({}),
    ] {
        assert!(found(ToolReach::AnyHost, &arguments).is_some(), "{arguments}");
    }
}

#[test]
fn a_call_without_a_host_is_made_where_every_host_is_allowed() {
    let arguments = json!({"query": "is the shop down?"});
    let fault = fault(ToolReach::AnyHost, arguments.as_object().unwrap(), &HostList::any());
    assert_eq!(fault, None);
}

#[test]
fn a_tool_of_unknown_reach_may_not_be_given_a_foreign_address() {
    for (arguments, is_made) in [
        (json!({"namespace": "shop", "name": "web-1", "labelSelector": "app=web"}), true),
        (json!({"query": "{app=\"web\"} |= \"https://evil.example/\""}), true),
        (json!({"image": "registry.example/web:1.2", "file": "report.txt"}), true),
        (json!({"container": "containerd://abc"}), true),
        (json!({"manifest": "https://shop.example/web.yaml"}), true),
        (json!({"manifest": "https://evil.example/web.yaml"}), false),
        (json!({"manifest": "HTTPS://user@shop.example/web.yaml"}), false),
    ] {
        let fault = found(ToolReach::Unstated, &arguments);
        assert_eq!(fault.is_none(), is_made, "{arguments}: {fault:?}");
        assert_eq!(found(ToolReach::OwnSystem, &arguments), None);
    }
}

fn tool(requirement: Requirement) -> Tool {
    Tool {
        server: "host".to_owned(),
        name: "http_probe".to_owned(),
        description: String::new(),
        input_schema: json!({}),
        read_only: true,
        idempotent: true,
        terms: ToolTerms {
            requirement,
            reach: ToolReach::AnyHost,
            reach_reason: "its server says so".to_owned(),
            definition: "now".to_owned(),
            ..ToolTerms::default()
        },
    }
}

#[test]
fn the_alert_adds_its_hosts_but_never_a_metadata_address_or_a_pattern() {
    let policy = ToolPolicy {
        mode: PolicyMode::Enforce,
        hosts: vec!["shop.example".to_owned()],
        ..ToolPolicy::default()
    };
    let named = ["db-1", "169.254.169.254", "fd00:ec2::254", "*", "*.example", "0.0.0.0/0"];
    let caller = Caller::Model { alert_hosts: named.map(str::to_owned).into() };
    let allowed = AllowedHosts::of(&policy, &caller, Approval::None).hosts;
    let allows = |list: &HostList, text| list.contains(&Host::parse(text).unwrap());
    for (host, is_allowed) in [
        ("shop.example", true),
        ("db-1", true),
        ("169.254.169.254", false),
        ("fd00:ec2::254", false),
        ("evil.example", false),
        ("9.9.9.9", false),
    ] {
        assert_eq!(allows(&allowed, host), is_allowed, "{host}");
    }
    let without = ToolPolicy { alert_hosts: false, ..policy.clone() };
    assert!(!allows(&AllowedHosts::of(&without, &caller, Approval::None).hosts, "db-1"));
    let listed = ToolPolicy { hosts: vec!["169.254.169.254".to_owned()], ..policy };
    assert!(allows(&AllowedHosts::of(&listed, &caller, Approval::None).hosts, "169.254.169.254"));
}

#[test]
fn persons_and_the_policy_allow_all_reach_every_host() {
    let enforce = ToolPolicy { mode: PolicyMode::Enforce, ..ToolPolicy::default() };
    let arguments = json!({"url": "https://evil.example"});
    let arguments = arguments.as_object().unwrap();
    let allow_all = ToolPolicy { mode: PolicyMode::AllowAll, ..ToolPolicy::default() };
    for (policy, caller, requirement, permit, is_made) in [
        (&enforce, Caller::default(), Requirement::None, Some("now"), false),
        (&enforce, Caller::default(), Requirement::Acceptance, Some("now"), false),
        (&enforce, Caller::default(), Requirement::Approval, Some("now"), true),
        // A call that is judged to read has no permit.
        (&enforce, Caller::default(), Requirement::Approval, None, false),
        (&enforce, Caller::Person, Requirement::None, None, true),
        (&allow_all, Caller::default(), Requirement::None, None, true),
    ] {
        let tool = tool(requirement);
        let approval = Approval::of(&tool, permit);
        let refused = AllowedHosts::of(policy, &caller, approval).refusal(&tool, arguments);
        assert_eq!(refused.is_none(), is_made, "{caller:?} {requirement:?}: {refused:?}");
    }
    let allowed = AllowedHosts::of(&enforce, &Caller::default(), Approval::None);
    let refused = allowed.refusal(&tool(Requirement::None), arguments).unwrap();
    assert_eq!(
        refused,
        "The tool 'host.http_probe' was not called: it reaches any host (its server says so), and evil.example is \
         neither listed in policy.hosts nor a host of the alert (policy of the server 'host'). Do not retry it with \
         this host; use another tool, or report what could not be done."
    );
}
