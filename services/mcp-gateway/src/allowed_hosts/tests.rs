use serde_json::json;
use tarsy_contracts::mcp::{ToolClass, ToolTerms};

use super::*;

fn reach() -> Reach {
    let listed = ["shop.example", "10.0.0.0/8", "*.internal.example"];
    Reach::new(HostList::parse(listed).unwrap(), [])
}

fn found(tool: ToolReach, arguments: &Value) -> Option<Fault> {
    allowed(tool, arguments.as_object().unwrap(), &reach()).err()
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
        json!({"url": "https://shop.example", "via": "localhost"}),
        json!({"url": "https://shop.example", "via": "Localhost.:8080/a"}),
        json!({"url": "https://shop.example", "via": "ip6-loopback"}),
        json!({"url": "https://shop.example", "via": "2130706433"}),
        json!({"url": "https://shop.example", "via": "0x7f000001:80"}),
        json!({"url": "https://shop.example", "via": "127.1"}),
        json!({"url": "https://shop.example", "via": "0xa9fea9fe"}),
        json!({"url": "https://shop.example", "via": "１２７.０.０.１"}),
        json!({"url": "https://shop.example", "via": "[fe80::1%25eth0]:80"}),
        json!({"url": "https://shop.example", "via": "fe80::1%eth0"}),
        json!({"url": "https://shop.example", "dsn": "host=127.0.0.1 port=5432 user=a"}),
        json!({"url": "https://shop.example", "dsn": "host=localhost port=5432"}),
        json!({"url": "https://shop.example", "dsn": "Server=localhost;Database=a"}),
        json!({"url": "https://shop.example", "dsn": "user:pw@tcp(127.0.0.1:3306)/a"}),
        json!({"url": "https://shop.example", "dsn": "user:pw@tcp(localhost:3306)/a"}),
        json!({"url": "https://shop.example", "dsn": "jdbc:postgresql://localhost:5432/a"}),
        json!({"url": "https://shop.example", "dsn": "postgres://a:b@127.0.0.1/a"}),
        json!({"url": "https://shop.example", "dsn": "mongodb://shop.example,127.0.0.1/a"}),
        json!({"url": "https://shop.example", "target": "db-2"}),
        json!({"url": "https://shop.example", "proxy": "db-2:3128"}),
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
    let every = Reach::new(HostList::any(), []);
    let found = allowed(ToolReach::AnyHost, arguments.as_object().unwrap(), &every);
    assert_eq!(found, Ok(BTreeSet::new()));
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
        (json!({"host": "web-1", "server": "localhost:9100", "target": "node-7.example"}), true),
        (json!({"query": "169.254.169.254", "metadata": "metadata", "name": "metadata"}), true),
        (json!({"host": "169.254.169.254"}), false),
        (json!({"target": "http:169.254.169.254/latest"}), true),
        (json!({"server": "0xa9fea9fe:80"}), false),
        (json!({"hosts": ["web-1", "Metadata.Google.Internal."]}), false),
        (json!({"ip": 2_852_039_166_u32}), false),
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
    let allowed = AllowedHosts::of(&policy, &caller, Approval::None).reach;
    let allows = |reach: &Reach, text| reach.contains(&Host::parse(text).unwrap());
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
    assert!(!allows(&AllowedHosts::of(&without, &caller, Approval::None).reach, "db-1"));
    let listed = ToolPolicy { hosts: vec!["169.254.169.254".to_owned()], ..policy };
    assert!(allows(&AllowedHosts::of(&listed, &caller, Approval::None).reach, "169.254.169.254"));
}

#[tokio::test]
async fn persons_and_the_policy_allow_all_reach_every_host() {
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
        let allowed = AllowedHosts::of(policy, &caller, approval);
        let refused = allowed.refusal(&tool, arguments, Resolution::Here).await;
        assert_eq!(refused.is_none(), is_made, "{caller:?} {requirement:?}: {refused:?}");
    }
    let allowed = AllowedHosts::of(&enforce, &Caller::default(), Approval::None);
    let refused = allowed.refusal(&tool(Requirement::None), arguments, Resolution::Here).await;
    let refused = refused.unwrap();
    assert_eq!(
        refused,
        "The tool 'host.http_probe' was not called: it reaches any host (its server says so), and evil.example is \
         neither listed in policy.hosts nor a host of the alert (policy of the server 'host'). Do not retry it with \
         this host; use another tool, or report what could not be done."
    );
}

fn of_alert(policy: &ToolPolicy, host: &str) -> AllowedHosts {
    let caller = Caller::Model { alert_hosts: vec![host.to_owned()] };
    AllowedHosts::of(policy, &caller, Approval::None)
}

fn enforced() -> ToolPolicy {
    ToolPolicy { mode: PolicyMode::Enforce, ..ToolPolicy::default() }
}

fn named(allowed: &AllowedHosts, tool: &Tool, arguments: &Value) -> Result<BTreeSet<Host>, Fault> {
    allowed.named(tool, arguments.as_object().unwrap())
}

#[test]
fn a_host_of_the_alert_is_only_read() {
    let mut get = tool(Requirement::None);
    get.terms.class = ToolClass::ReadOnly;
    let allowed = of_alert(&enforced(), "10.0.0.7");
    for arguments in [
        json!({"url": "http://10.0.0.7/"}),
        json!({"url": "http://10.0.0.7/", "method": "GET"}),
        json!({"url": "http://10.0.0.7/", "method": "head", "body": null}),
        json!({"url": "http://10.0.0.7/", "method": null}),
    ] {
        assert!(named(&allowed, &get, &arguments).is_ok(), "{arguments}");
    }
    let listed = ToolPolicy { hosts: vec!["10.0.0.7".to_owned()], ..enforced() };
    let listed = of_alert(&listed, "10.0.0.7");
    for arguments in [
        json!({"url": "http://10.0.0.7/", "method": "DELETE"}),
        json!({"url": "http://10.0.0.7/", "method": "delete "}),
        json!({"url": "http://10.0.0.7/", "httpMethod": "Post"}),
        json!({"url": "http://10.0.0.7/", "verb": "PURGE"}),
        json!({"url": "http://10.0.0.7/", "method": ["GET", "DELETE"]}),
        json!({"url": "http://10.0.0.7/", "method": {"name": "DELETE"}}),
        json!({"request": {"url": "http://10.0.0.7/", "method": "PUT"}}),
        json!({"requests": [{"url": "http://10.0.0.7/", "options": {"request_method": "PATCH"}}]}),
        json!({"url": "http://10.0.0.7/", "headers": {"X-HTTP-Method-Override": "DELETE"}}),
        json!({"url": "http://10.0.0.7/", "options": ["-X", "DELETE"]}),
    ] {
        let fault = named(&allowed, &get, &arguments).unwrap_err();
        assert!(matches!(fault, Fault::MayChange(_)), "{arguments}: {fault:?}");
        assert!(named(&listed, &get, &arguments).is_ok(), "{arguments}");
    }
}

#[test]
fn a_tool_that_is_not_known_to_read_does_not_go_to_a_host_of_the_alert() {
    let arguments = json!({"url": "http://10.0.0.7/"});
    let (accepts_all, listed) = (
        ToolPolicy { accept: Accept::All, ..enforced() },
        ToolPolicy { accept: Accept::Listed, ..enforced() },
    );
    for (class, is_annotated, policy, is_made) in [
        (ToolClass::ReadOnly, false, &listed, true),
        (ToolClass::Unknown, true, &listed, true),
        (ToolClass::Unknown, false, &listed, false),
        (ToolClass::Unknown, true, &accepts_all, false),
        (ToolClass::Write, true, &listed, false),
    ] {
        let mut tool = tool(Requirement::None);
        (tool.terms.class, tool.read_only) = (class, is_annotated);
        let made = named(&of_alert(policy, "10.0.0.7"), &tool, &arguments);
        assert_eq!(made.is_ok(), is_made, "{class:?} {is_annotated}: {made:?}");
    }
}

#[test]
fn a_name_of_the_alert_that_leads_to_a_metadata_service_or_this_machine_is_not_reached() {
    let policy = ToolPolicy { hosts: vec!["*.shop.example".to_owned()], ..enforced() };
    let allowed = of_alert(&policy, "169.254.169.254.nip.example");
    let lead = |name: &str, addresses: Option<&[&str]>| {
        let host = Host::parse(name).unwrap();
        let parsed = |all: &[&str]| all.iter().map(|one| one.parse().unwrap()).collect();
        allowed.misled(vec![Lead { host, addresses: addresses.map(parsed) }])
    };
    let (of_alert, listed) = ("169.254.169.254.nip.example", "a.shop.example");
    for address in ["169.254.169.254", "::ffff:a9fe:a9fe", "fd00:ec2::254", "100.100.100.200"] {
        for name in [of_alert, listed] {
            let found = lead(name, Some(&["9.9.9.9", address]));
            assert!(matches!(found, Some(Fault::LeadsTo(..))), "{name} {address}: {found:?}");
        }
    }
    for address in ["127.0.0.1", "::1", "0.0.0.0", "64:ff9b::7f00:1"] {
        assert!(matches!(lead(of_alert, Some(&[address])), Some(Fault::LeadsTo(..))), "{address}");
        assert_eq!(lead(listed, Some(&[address])), None, "the operator lists it: {address}");
    }
    assert_eq!(lead(of_alert, Some(&["10.1.2.3", "9.9.9.9"])), None);
    assert!(matches!(lead(of_alert, None), Some(Fault::Unresolved(_))));
    assert_eq!(lead(listed, None), None, "its server may know the name");
}

#[tokio::test]
async fn a_metadata_service_is_reached_only_if_it_is_listed_whatever_the_mode_is() {
    let allow_all = ToolPolicy { mode: PolicyMode::AllowAll, ..ToolPolicy::default() };
    let refusal = async |policy: &ToolPolicy, arguments: Value| {
        let allowed = AllowedHosts::of(policy, &Caller::default(), Approval::None);
        let arguments = arguments.as_object().unwrap();
        allowed.refusal(&tool(Requirement::None), arguments, Resolution::Here).await
    };
    for url in [
        "http://169.254.169.254/latest/meta-data",
        "http://2852039166/",
        "http://[::ffff:169.254.169.254]/",
        "http://metadata.google.internal./computeMetadata/v1/",
        "metadata.google.internal",
        "http://100.100.100.200/",
        "http://a@169.254.169.254/",
        "http://169.254.169.254\\@shop.example/",
        "http://%31%36%39.254.169.254/",
        "http:/169.254.169.254/",
        "http:\\\\169.254.169.254\\latest",
        "HTTP:169.254.169.254",
    ] {
        for arguments in [json!({"url": url}), json!({"targets": ["10.0.0.1", url]})] {
            let refused = refusal(&allow_all, arguments).await.unwrap_or_default();
            assert!(refused.contains("is a metadata service"), "{url}: {refused}");
        }
    }
    assert_eq!(refusal(&allow_all, json!({"url": "http://127.0.0.1:80/"})).await, None);
    assert_eq!(refusal(&allow_all, json!({"text": "notes.txt and a.md"})).await, None);
    let listed = ToolPolicy { hosts: vec!["169.254.169.254".to_owned()], ..allow_all };
    let listed = refusal(&listed, json!({"url": "http://169.254.169.254/"})).await;
    assert_eq!(listed, None);
}
