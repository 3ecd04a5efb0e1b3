//! Changes that other systems report, from payloads as their documentation shows them, and in TARSy's own form.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use http::HeaderMap;
use serde_json::{Value, json};
use sha2::Sha256;
use tarsy_intake::{
    Change, ChangeSource, HmacSignature, Ignored, Kind, Received, Refusal, Secrets, Source,
    Verification, changes_in,
};

use crate::support::{SECRET, changed, headers, now, payload, time, with};

const GITHUB: [(&str, &str); 1] = [("x-github-event", "deployment_status")];

fn received(kind: ChangeSource, sent: &[(&str, &str)], body: &str) -> Received {
    let verification = match kind {
        ChangeSource::GitHub => Verification::Hmac(HmacSignature::github()),
        ChangeSource::LaunchDarkly => Verification::Hmac(HmacSignature::launchdarkly()),
        ChangeSource::Flux => Verification::Hmac(HmacSignature::flux()),
        ChangeSource::GitLab => Verification::Header { header: "x-gitlab-token".to_owned() },
        _ => Verification::Bearer,
    };
    let source = Source::new("it", Kind::Changes(kind), verification).unwrap();
    source.preview(&headers(sent), body.as_bytes(), now()).unwrap()
}

fn change(kind: ChangeSource, sent: &[(&str, &str)], body: &str) -> Change {
    match received(kind, sent, body) {
        Received::Changes(mut changes) if changes.len() == 1 => changes.swap_remove(0),
        other => panic!("{other:?}"),
    }
}

fn is_ignored(kind: ChangeSource, sent: &[(&str, &str)], body: &str) -> bool {
    matches!(received(kind, sent, body), Received::Ignored(_))
}

/// What most changes have: kind, service, environment, author, text.
fn brief(change: &Change) -> [&str; 5] {
    let text = |text: &'_ Option<String>| text.as_deref().unwrap_or("-").to_owned().leak() as &str;
    let (service, environment) = (text(&change.service), text(&change.environment));
    [
        change.kind.as_str().to_owned().leak(),
        service,
        environment,
        text(&change.author),
        change.text.clone().leak(),
    ]
}

#[test]
fn a_deployment_of_each_source_is_a_change_with_its_time_and_page() {
    let deployed = |kind, name: &str, sent: &[(&str, &str)]| {
        let change = change(kind, sent, &payload(name));
        assert_eq!(change.occurred_at, time("2026-11-24T11:41:20Z"), "{name}");
        assert!(
            change.source_id.is_some()
                && change.link.as_deref().is_none_or(|link| link.starts_with("https://")),
            "{name}"
        );
        change
    };
    let github = deployed(ChangeSource::GitHub, "github", &GITHUB);
    let expected = [
        "deployment",
        "checkout",
        "production",
        "rosa",
        "checkout v1.8.2 (f95f852bd8) was deployed",
    ];
    assert_eq!(brief(&github), expected);
    assert_eq!(
        github.link.as_deref(),
        Some("https://github.com/shop/checkout/actions/runs/42/job/7")
    );
    let gitlab = deployed(ChangeSource::GitLab, "gitlab", &[]);
    let expected = [
        "deployment",
        "checkout",
        "production",
        "rosa",
        "checkout 279484c0 was deployed: Take prices from the catalogue",
    ];
    assert_eq!(brief(&gitlab), expected);
    let argocd = deployed(ChangeSource::ArgoCd, "argocd", &[]);
    let text = "application checkout was synchronized to a4d0e9cc61, images registry.example/shop/checkout:1.8.2";
    assert_eq!(brief(&argocd), ["deployment", "checkout", "-", "rosa", text]);
    assert_eq!(
        (argocd.namespace.as_deref(), argocd.cluster.as_deref()),
        (Some("shop"), Some("eu-1"))
    );
    let flux = deployed(ChangeSource::Flux, "flux", &[]);
    let text = "UpgradeSucceeded to 1.8.2: Helm upgrade succeeded for release shop/checkout.v7 with chart checkout@1.8.2";
    assert_eq!(brief(&flux), ["deployment", "checkout", "-", "-", text]);
    assert_eq!(
        (flux.object.as_deref(), flux.namespace.as_deref()),
        (Some("HelmRelease/checkout"), Some("shop"))
    );
    let jenkins = deployed(ChangeSource::Jenkins, "jenkins", &[]);
    let text = "build 118 of deploy-checkout of 1.8.2 ended as SUCCESS, origin/main f95f852bd8";
    assert_eq!(brief(&jenkins), ["deployment", "checkout", "production", "rosa", text]);
    let flag = deployed(ChangeSource::LaunchDarkly, "launchdarkly", &[]);
    let text = "turned on the flag New prices: for all of Europe";
    assert_eq!(brief(&flag), ["feature_flag", "shop", "production", "rosa@shop.example", text]);
    assert_eq!(flag.object.as_deref(), Some("flag/new-prices"));
}

/// A payload of `changes.jsonl`: what becomes of it, in the words of [`brief`]; nothing for one that changes nothing.
#[derive(serde::Deserialize)]
struct Documented {
    name: String,
    kind: String,
    /// `X-GitHub-Event`.
    event: Option<String>,
    body: Value,
    change: Option<[String; 5]>,
}

#[test]
fn events_are_read_as_the_documentation_of_their_source_has_them() {
    let kinds = [
        ChangeSource::GitHub,
        ChangeSource::GitLab,
        ChangeSource::ArgoCd,
        ChangeSource::Flux,
        ChangeSource::Jenkins,
        ChangeSource::LaunchDarkly,
    ];
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/payloads/changes.jsonl");
    let lines = std::fs::read_to_string(path).unwrap();
    let mut wrong = Vec::new();
    for line in lines.lines() {
        let one: Documented = serde_json::from_str(line).unwrap();
        let kind = *kinds.iter().find(|kind| kind.as_str() == one.kind).unwrap();
        let sent: Vec<_> =
            one.event.iter().map(|event| ("x-github-event", event.as_str())).collect();
        let found = match received(kind, &sent, &one.body.to_string()) {
            Received::Changes(changes) => Some(brief(&changes[0]).map(str::to_owned)),
            Received::Ignored(_) => None,
            other => panic!("{other:?}"),
        };
        if found != one.change {
            wrong.push(format!("{} {}: {found:?}, not {:?}", one.kind, one.name, one.change));
        }
    }
    assert!(lines.lines().count() >= 50 && wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_two_events_report_has_one_id() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/payloads/changes.jsonl");
    let lines = std::fs::read_to_string(path).unwrap();
    let body = |name: &str| {
        let rows = lines.lines().map(|line| serde_json::from_str::<Documented>(line).unwrap());
        rows.into_iter().find(|row| row.name == name).unwrap().body
    };
    let id = |kind, event: &str, body: &Value| {
        change(kind, &[("x-github-event", event)], &body.to_string()).source_id
    };
    let (github, gitlab) = (ChangeSource::GitHub, ChangeSource::GitLab);
    let merged = body("pull request is merged");
    let push = json!({"ref": "refs/heads/master", "after": merged["pull_request"]["merge_commit_sha"],
        "repository": merged["repository"], "commits": []});
    assert_eq!(id(github, "pull_request", &merged), id(github, "push", &push));
    let created = body("tag is created");
    let pushed = json!({"ref": "refs/tags/simple-tag", "after": "a".repeat(40), "repository": created["repository"]});
    assert_eq!(id(github, "create", &created), id(github, "push", &pushed));
    let merged = body("merge request is merged");
    let push = json!({"object_kind": "push", "ref": "refs/heads/master", "project": merged["project"],
        "after": merged["object_attributes"]["merge_commit_sha"], "commits": []});
    assert_eq!(id(gitlab, "", &merged), id(gitlab, "", &push));
}

#[test]
fn other_events_of_github_and_gitlab_are_releases_pushes_and_flags() {
    let github = |event: &str, body: Value| {
        change(ChangeSource::GitHub, &[("x-github-event", event)], &body.to_string())
    };
    let repository = json!({"name": "cart", "full_name": "shop/cart", "default_branch": "main"});
    let release = json!({"action": "published", "release": {"id": 7, "tag_name": "v2", "published_at": "2026-11-24T10:00:00Z",
        "html_url": "https://github.com/shop/cart/releases/v2", "author": {"login": "ann"}}, "repository": repository});
    assert_eq!(
        brief(&github("release", release)),
        ["release", "cart", "-", "ann", "cart v2 was released"]
    );
    let push = |branch: &str| {
        json!({"ref": format!("refs/heads/{branch}"), "after": "a".repeat(40), "deleted": false,
        "compare": "https://github.com/shop/cart/compare/x...y", "pusher": {"name": "ann"}, "repository": repository,
        "commits": [{}, {}], "head_commit": {"message": "Fix sums\n\nlong", "timestamp": "2026-11-24T10:00:00Z"}})
    };
    let text = "2 commits were pushed to main, the last one aaaaaaaaaa: Fix sums";
    assert_eq!(brief(&github("push", push("main"))), ["commit", "cart", "-", "ann", text]);
    let sent = [("x-github-event", "push")];
    assert!(is_ignored(ChangeSource::GitHub, &sent, &push("feature").to_string()));
    assert_eq!(
        received(ChangeSource::GitHub, &[("x-github-event", "ping")], "{}"),
        Received::Ignored(Ignored::Ping)
    );
    let flag = json!({"object_kind": "feature_flag", "project": {"name": "cart"}, "user": {"username": "ann"},
        "object_attributes": {"id": 6, "name": "fast-sums", "active": false}});
    let flag = change(ChangeSource::GitLab, &[], &flag.to_string());
    assert_eq!(
        brief(&flag),
        ["feature_flag", "cart", "-", "ann", "the flag fast-sums was turned off"]
    );
}

#[test]
fn what_changes_nothing_is_ignored() {
    let queued = changed("github", "/deployment_status/state", "queued");
    assert!(is_ignored(ChangeSource::GitHub, &GITHUB, &queued));
    assert!(is_ignored(ChangeSource::GitLab, &[], &changed("gitlab", "/status", "canceled")));
    assert!(is_ignored(
        ChangeSource::ArgoCd,
        &[],
        &changed("argocd", "/app/status/operationState/phase", "Running")
    ));
    let source = with("flux", &[("/involvedObject/kind", json!("GitRepository"))]);
    assert!(is_ignored(ChangeSource::Flux, &[], &source));
    assert!(is_ignored(ChangeSource::Jenkins, &[], &changed("jenkins", "/build/phase", "STARTED")));
    let project = "proj/shop:env/production";
    let settings = with(
        "launchdarkly",
        &[("/target/resources/0", json!(project)), ("/accesses/0/resource", json!(project))],
    );
    assert!(is_ignored(ChangeSource::LaunchDarkly, &[], &settings));
    for kind in [
        ChangeSource::GitHub,
        ChangeSource::GitLab,
        ChangeSource::ArgoCd,
        ChangeSource::Flux,
        ChangeSource::Jenkins,
        ChangeSource::LaunchDarkly,
        ChangeSource::Plain,
    ] {
        for body in ["", "{", "[]", "null", "\"x\"", "{}", "[[1]]"] {
            assert!(is_ignored(kind, &GITHUB, body), "{kind:?} {body}");
        }
    }
}

#[test]
fn a_webhook_is_verified_as_its_source_signs_it() {
    let body = payload("github");
    let sign = |secret: &str| {
        let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
        mac.update(body.as_bytes());
        let digest = mac.finalize().into_bytes();
        digest.iter().fold("sha256=".to_owned(), |text, byte| format!("{text}{byte:02x}"))
    };
    let source = |kind, verification| Source::new("it", Kind::Changes(kind), verification).unwrap();
    let receive = |source: &Source, sent: &[(&str, &str)]| {
        source.receive(&headers(sent), body.as_bytes(), &Secrets::of([SECRET]), now())
    };
    let github = source(ChangeSource::GitHub, Verification::Hmac(HmacSignature::github()));
    let (right, wrong) = (sign("s3cret"), sign("other"));
    let event = ("x-github-event", "deployment_status");
    assert!(receive(&github, &[event, ("x-hub-signature-256", &right)]).is_ok());
    for sent in [vec![event], vec![event, ("x-hub-signature-256", &wrong)]] {
        assert!(matches!(receive(&github, &sent), Err(Refusal::Unverified(_))));
    }
    let gitlab =
        source(ChangeSource::GitLab, Verification::Header { header: "x-gitlab-token".to_owned() });
    assert!(receive(&gitlab, &[("x-gitlab-token", "s3cret")]).is_ok());
    for sent in [vec![], vec![("x-gitlab-token", "s3cre")], vec![("x-gitlab-token", "s3cret2")]] {
        assert!(matches!(receive(&gitlab, &sent), Err(Refusal::Unverified(_))));
    }
    assert!(Source::new("it", Kind::Changes(ChangeSource::GitHub), Verification::Bearer).is_err());
}

#[test]
fn a_signing_token_of_gitlab_signs_id_time_and_body_in_base64() {
    let body = payload("gitlab");
    let source = Source::new(
        "it",
        Kind::Changes(ChangeSource::GitLab),
        Verification::Hmac(HmacSignature::gitlab()),
    );
    let source = source.unwrap();
    let sign = |key: &[u8], id: &str, time: &str| {
        let mut mac = Hmac::<Sha256>::new_from_slice(key).unwrap();
        mac.update(format!("{id}.{time}.{body}").as_bytes());
        format!("v1,{}", BASE64_STANDARD.encode(mac.finalize().into_bytes()))
    };
    let secret = format!("whsec_{}", BASE64_STANDARD.encode(SECRET));
    let receive = |signature: &str, id: &str, time: &str| {
        let sent = headers(&[
            ("webhook-signature", signature),
            ("webhook-id", id),
            ("webhook-timestamp", time),
        ]);
        source.receive(&sent, body.as_bytes(), &Secrets::of([secret.as_bytes()]), now())
    };
    let time = now().as_second().to_string();
    let right = sign(SECRET, "7", &time);
    assert!(receive(&right, "7", &time).is_ok());
    assert!(receive(&format!("v1a,x {right}"), "7", &time).is_ok());
    let late = (now().as_second() - 301).to_string();
    for (signature, id, time) in [
        (right.as_str(), "8", time.as_str()),
        (&sign(b"other", "7", &time), "7", &time),
        (&sign(SECRET, "7", &late), "7", &late),
        ("v1,", "7", &time),
        (&right[3..], "7", &time),
    ] {
        assert!(matches!(receive(signature, id, time), Err(Refusal::Unverified(_))), "{signature}");
    }
}

#[test]
fn the_own_form_is_plain_listed_or_an_event() {
    let plain = json!({"kind": "deployment", "text": "checkout 1.8.2", "service": "checkout", "time": "2026-11-24T11:41:20Z",
        "url": "https://ci.example/1", "id": "d-1"});
    let found = changes_in(&HeaderMap::new(), json!([plain, {"title": "x"}])).unwrap();
    assert_eq!(
        (found[0].link.as_deref(), found[0].source_id.as_deref()),
        (Some("https://ci.example/1"), Some("d-1"))
    );
    assert_eq!((found[1].kind.as_str(), found[1].occurred_at), ("other", None));
    let event = json!({"specversion": "1.0", "id": "7", "source": "/ci", "type": "deployed", "time": "2026-11-24T11:41:20Z",
        "subject": "Deployment/checkout", "data": {"kind": "deployment", "service": "checkout"}});
    let structured = changes_in(&HeaderMap::new(), event.clone()).unwrap();
    let sent = headers(&[
        ("ce-specversion", "1.0"),
        ("ce-id", "7"),
        ("ce-source", "/ci"),
        ("ce-type", "deployed"),
        ("ce-time", "2026-11-24T11:41:20Z"),
        ("ce-subject", "Deployment/checkout"),
        ("content-type", "application/json"),
    ]);
    assert_eq!(changes_in(&sent, event["data"].clone()).unwrap(), structured);
    assert_eq!(
        (structured[0].source_id.as_deref(), structured[0].text.as_str()),
        (Some("/ci 7"), "deployed Deployment/checkout")
    );
    assert_eq!(structured[0].occurred_at, time("2026-11-24T11:41:20Z"));
}

#[test]
fn what_is_wrong_with_the_own_form_is_named() {
    let many: Vec<Value> = (0..101).map(|_| json!({"text": "x"})).collect();
    for (body, field) in [
        (json!({"kind": "deployment"}), "text"),
        (json!([{"text": "x"}, {"text": "x", "kind": "deploy"}]), "[1].kind"),
        (json!({"text": "x", "time": "yesterday"}), "time"),
        (json!({"specversion": "1.0", "data": {"text": "x", "kind": "y"}}), "data.kind"),
        (json!([]), "the body"),
        (json!(many), "the body"),
        (json!("x"), "the body"),
    ] {
        assert_eq!(changes_in(&HeaderMap::new(), body.clone()).unwrap_err().field, field, "{body}");
    }
}

#[test]
fn texts_and_names_are_bounded_and_only_pages_are_links() {
    let long = json!({"text": "x".repeat(9_000), "service": "y".repeat(900), "author": " Ann \n B ", "link": "javascript:x"});
    let change = changes_in(&HeaderMap::new(), long).unwrap().swap_remove(0);
    assert_eq!(change.text.chars().count(), 2_000);
    assert_eq!(change.service.unwrap().chars().count(), 253);
    assert_eq!((change.author.as_deref(), change.link), (Some("Ann B"), None));
}
