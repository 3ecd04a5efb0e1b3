//! Signing in with OpenID Connect, and tokens of the issuer.

use reqwest::Method;
use serde_json::{Value, json};
use tarsy_testkit::{Forgery, TestIssuer, eventually, free_port};

use crate::browser::{Browser, USERS, gateway, location, with_issuer};
use crate::stack::{Answer, Stack, send};

/// What a token of the issuer gets.
async fn with_token(stack: &Stack, token: &str) -> Answer {
    send(stack.request(Method::GET, "/api/v1/me").bearer_auth(token)).await
}

/// The actions and outcomes of the audit log, the newest first.
async fn audit(browser: &mut Browser<'_>) -> Vec<(String, String, String)> {
    let log = browser.get("/api/v1/audit-log?limit=100").await.body;
    let entries = log["entries"].as_array().cloned().unwrap_or_default();
    let text = |entry: &Value, field: &str| entry[field].as_str().unwrap_or_default().to_owned();
    let read = |one: &Value| (text(one, "principal"), text(one, "action"), text(one, "outcome"));
    entries.iter().map(read).collect()
}

fn entry(principal: &str, action: &str, outcome: &str) -> (String, String, String) {
    (principal.to_owned(), action.to_owned(), outcome.to_owned())
}

#[tokio::test]
async fn a_person_signs_in_works_and_signs_out() {
    let (stack, _issuer, _folder) = with_issuer().await;
    let mut browser = Browser::new(&stack);
    let nobody = browser.get("/api/v1/me").await;
    assert_eq!((nobody.status.as_u16(), &nobody.body["sign_in"]), (401, &json!("/api/v1/sign-in")));
    assert_eq!(browser.sign_in("rosa").await, "/sessions");
    assert_eq!(browser.cookies.len(), 1, "the attempt is over: {:?}", browser.cookies);

    let me = browser.get("/api/v1/me").await.body;
    assert_eq!(
        (&me["name"], &me["role"], &me["mode"]),
        (&json!("rosa@example.org"), &json!("responder"), &json!("oidc"))
    );
    assert!(me["expires_at"].is_string());
    let alert = json!({"data": "the disk is full"});
    let session = browser.change(Method::POST, "/api/v1/alerts", &alert).await.session_id();
    let session = stack.store.find_session(session).await.unwrap().unwrap();
    assert_eq!(session.author.as_deref(), Some("rosa@example.org"));
    let denied = browser.change(Method::POST, "/api/v1/tokens", &json!({})).await;
    assert_eq!(denied.status, 403);

    let cookies = browser.cookies.clone();
    assert_eq!(browser.change(Method::POST, "/api/v1/sign-out", &json!(null)).await.status, 204);
    assert!(!browser.is_signed_in());
    browser.cookies = cookies;
    assert_eq!(browser.get("/api/v1/me").await.status, 401, "the cookie is worth nothing now");
}

#[tokio::test]
async fn a_user_without_a_role_is_not_signed_in_and_sees_why() {
    let (stack, _issuer, _folder) = with_issuer().await;
    let mut browser = Browser::new(&stack);
    let end = browser.sign_in("mallory").await;
    assert_eq!(end, "/sign-in?reason=no_role&return_to=%2Fsessions");
    assert!(!browser.is_signed_in());
}

#[tokio::test]
async fn a_change_with_the_cookie_needs_the_csrf_token() {
    let (stack, _issuer, _folder) = with_issuer().await;
    let mut browser = Browser::new(&stack);
    browser.sign_in("rosa").await;
    let mut other = Browser::new(&stack);
    other.sign_in("ada").await;
    let foreign = other.csrf_token().await;
    let alert = json!({"data": "x"});
    for wrong in [None, Some(""), Some("wrong"), Some(foreign.as_str())] {
        let mut request = browser.request(Method::POST, "/api/v1/alerts").json(&alert);
        if let Some(wrong) = wrong {
            request = request.header("X-CSRF-Token", wrong);
        }
        let answer = send(request).await;
        assert_eq!(answer.status, 403, "{wrong:?}");
        assert_eq!(answer.fields(), ["X-CSRF-Token"]);
    }
    assert_eq!(browser.change(Method::POST, "/api/v1/alerts", &alert).await.status, 202);
}

#[tokio::test]
async fn a_stolen_state_signs_nobody_else_in() {
    let (stack, _issuer, _folder) = with_issuer().await;
    let (mut attacker, mut victim) = (Browser::new(&stack), Browser::new(&stack));
    let back = attacker.approved("ada", "/").await;
    // The victim is sent to the attacker's callback: without an attempt, and during one.
    assert_eq!(location(&victim.get(&back).await), "/sign-in?reason=attempt&return_to=%2F");
    victim.approved("vera", "/system").await;
    let end = location(&victim.get(&back).await);
    assert_eq!(end, "/sign-in?reason=attempt&return_to=%2Fsystem");
    assert!(!victim.is_signed_in());
}

#[tokio::test]
async fn a_code_is_good_once() {
    let (stack, _issuer, _folder) = with_issuer().await;
    let mut browser = Browser::new(&stack);
    let back = browser.approved("ada", "/").await;
    let attempt = browser.cookies.clone();
    assert_eq!(location(&browser.get(&back).await), "/");
    browser.cookies.clear();
    assert!(location(&browser.get(&back).await).contains("reason=attempt"));
    // Even whoever has the cookie of the attempt is refused by the issuer.
    browser.cookies = attempt;
    assert!(location(&browser.get(&back).await).contains("reason=failed"));
    assert!(!browser.is_signed_in());
    let refused = browser.approved("ada", "/").await.replace("code=", "error=access_denied&other=");
    assert!(location(&browser.get(&refused).await).contains("reason=denied"));
}

#[tokio::test]
async fn an_id_token_that_does_not_fit_signs_nobody_in() {
    let (stack, issuer, _folder) = with_issuer().await;
    for claims in [
        json!({"nonce": "of another attempt"}),
        json!({"aud": "another-client"}),
        json!({"aud": ["tarsy", "another-client"]}),
        json!({"azp": "another-client"}),
        json!({"iss": "https://elsewhere.example"}),
        json!({"exp": 1_700_000_000}),
        json!({"nbf": 4_000_000_000_u64}),
        json!({"email_verified": false}),
    ] {
        issuer.set_claims(&claims);
        let mut browser = Browser::new(&stack);
        let end = browser.sign_in("ada").await;
        assert_eq!(end, "/sign-in?reason=failed&return_to=%2Fsessions", "{claims}");
        assert!(!browser.is_signed_in());
    }
    issuer.set_claims(&json!({}));
    let mut browser = Browser::new(&stack);
    browser.sign_in("ada").await;
    assert!(browser.is_signed_in());
}

#[tokio::test]
async fn a_browser_returns_to_pages_of_this_server_only() {
    let (stack, _issuer, _folder) = with_issuer().await;
    let mut browser = Browser::new(&stack);
    for evil in [
        "//evil.example",
        "https://evil.example",
        "/%5Cevil.example",
        "/%09/evil",
        "/api/v1/sign-in",
        "",
    ] {
        let answer = browser.get(&format!("/api/v1/sign-in?return_to={evil}")).await;
        assert_eq!((answer.status.as_u16(), answer.fields()), (400, vec!["return_to"]), "{evil}");
    }
    // Nor does a cookie that somebody else wrote.
    let back = browser.approved("ada", "/").await;
    let cookie = browser.cookies.get_mut("tarsy_attempt").unwrap();
    *cookie = cookie.replace("return_to=%2F", "return_to=%2F%2Fevil.example");
    assert_eq!(location(&browser.get(&back).await), "/sign-in?reason=attempt&return_to=%2F");
}

#[tokio::test]
async fn a_script_sends_a_token_of_the_issuer() {
    let (stack, issuer, _folder) = with_issuer().await;
    let good = issuer.claims("otto");
    let answer = with_token(&stack, &issuer.sign(&good).unwrap()).await;
    assert_eq!(
        (&answer.body["role"], &answer.body["csrf_token"]),
        (&json!("operator"), &Value::Null)
    );
    let alert = stack.request(Method::POST, "/api/v1/alerts").json(&json!({"data": "x"}));
    let alert = send(alert.bearer_auth(issuer.sign(&good).unwrap())).await;
    assert_eq!(alert.status, 202, "a token needs no CSRF token");

    let with = |changes: Value| {
        let mut claims = good.clone();
        for (name, value) in changes.as_object().unwrap() {
            claims[name] = value.clone();
        }
        claims
    };
    for wrong in [
        json!({"exp": 1_700_000_000}),
        json!({"exp": null}),
        json!({"nbf": 4_000_000_000_u64}),
        json!({"aud": "another"}),
        json!({"aud": null}),
        json!({"iss": "https://elsewhere.example"}),
        json!({"iss": null}),
        json!({"email": null}),
    ] {
        let answer = with_token(&stack, &issuer.sign(&with(wrong.clone())).unwrap()).await;
        assert_eq!(answer.status, 401, "{wrong}: {answer:?}");
    }
    for forgery in
        [Forgery::Unsigned, Forgery::PublicKeyAsSecret, Forgery::OtherKey, Forgery::UnknownKey]
    {
        let answer = with_token(&stack, &issuer.forge(&good, forgery).unwrap()).await;
        assert_eq!(answer.status, 401, "{forgery:?}: {answer:?}");
    }
    let other = TestIssuer::start(USERS).await.unwrap();
    let foreign = other.sign(&other.claims("ada")).unwrap();
    assert_eq!(with_token(&stack, &foreign).await.status, 401);
    let stranger = with_token(&stack, &issuer.sign(&issuer.claims("mallory")).unwrap()).await;
    assert_eq!(stranger.status, 403);
}

#[tokio::test]
async fn the_clock_of_the_issuer_may_differ_a_little() {
    let issuer = TestIssuer::start(USERS).await.unwrap();
    let (stack, _folder) = gateway(issuer.url(), "      clock_skew: 2m\n", &[]).await;
    let mut claims = issuer.claims("ada");
    let now = claims["iat"].as_u64().unwrap();
    for (seconds, status) in [(100, 200), (140, 401)] {
        claims["exp"] = json!(now - seconds);
        let answer = with_token(&stack, &issuer.sign(&claims).unwrap()).await;
        assert_eq!(answer.status, status, "expired {seconds} s ago: {answer:?}");
    }
}

#[tokio::test]
async fn keys_rotate_and_unknown_ones_are_looked_for_seldom() {
    let (stack, issuer, _folder) = with_issuer().await;
    let old = issuer.sign(&issuer.claims("ada")).unwrap();
    assert_eq!(with_token(&stack, &old).await.status, 200);
    issuer.rotate().unwrap();
    let new = issuer.sign(&issuer.claims("ada")).unwrap();
    assert_eq!(with_token(&stack, &new).await.status, 200, "the new key is read at once");
    assert_eq!(with_token(&stack, &old).await.status, 401, "the old one is withdrawn");
    let mut browser = Browser::new(&stack);
    browser.sign_in("vera").await;
    assert!(browser.is_signed_in());

    let before = issuer.key_requests();
    let unknown = issuer.forge(&issuer.claims("ada"), Forgery::UnknownKey).unwrap();
    for _ in 0..20 {
        assert_eq!(with_token(&stack, &unknown).await.status, 401);
    }
    assert!(issuer.key_requests() <= before + 1, "{} to {}", before, issuer.key_requests());
}

#[tokio::test]
async fn an_issuer_that_is_down_stops_only_sign_ins() {
    let port = free_port().unwrap();
    let (stack, _folder) = gateway(&format!("http://127.0.0.1:{port}"), "", &[]).await;
    let mut browser = Browser::new(&stack);
    let begun = browser.get("/api/v1/sign-in").await;
    assert_eq!(location(&begun), "/sign-in?reason=unavailable&return_to=%2F");
    eventually("a part of the health names the issuer", async || {
        let parts = stack.service.health().parts();
        let problem = parts.get("oidc").and_then(|part| part.problem.clone());
        problem.is_some_and(|problem| problem.contains(&format!("127.0.0.1:{port}")))
    })
    .await;
    assert_eq!(stack.get("/readyz").await.status, 200);
    let token = tarsy_store::secret::new_token().unwrap();
    stack
        .store
        .insert_api_token(tarsy_store::NewApiToken {
            name: "ci".to_owned(),
            hash: tarsy_store::secret::hash(&token),
            grant: tarsy_domain::access::Grant::Role(tarsy_domain::access::Role::Viewer),
            created_by: "test".to_owned(),
            lifetime: std::time::Duration::from_hours(1),
        })
        .await
        .unwrap();
    assert_eq!(with_token(&stack, &token).await.status, 200, "API tokens go on");
    eventually("a warning says that nobody can sign in", async || {
        let warnings = stack.request(Method::GET, "/api/v1/system/warnings").bearer_auth(&token);
        send(warnings).await.body.to_string().contains("access.issuer")
    })
    .await;
    assert_eq!(with_token(&stack, "a.b.c").await.status, 401);

    let issuer = TestIssuer::start_on(port, USERS).await.unwrap();
    eventually("the issuer is found", async || {
        with_token(&stack, &issuer.sign(&issuer.claims("ada")).unwrap()).await.status == 200
    })
    .await;
    browser.sign_in("ada").await;
    assert!(browser.is_signed_in());
    drop(issuer);
    assert_eq!(browser.get("/api/v1/me").await.status, 200, "who is signed in stays so");
}

#[tokio::test]
async fn an_issuer_names_no_endpoint_inside() {
    let issuer = TestIssuer::start(USERS).await.unwrap();
    issuer.name_endpoints(&json!({"jwks_uri": "https://10.255.255.1/keys"}));
    let (stack, _folder) = gateway(issuer.url(), "", &[]).await;
    let problem = async || {
        let parts = stack.service.health().parts();
        parts.get("oidc").and_then(|part| part.problem.clone()).unwrap_or_default()
    };
    eventually("the health says which host is refused", async || {
        let problem = problem().await;
        problem.contains("10.255.255.1 for its jwks_uri") && problem.contains("endpoint_hosts")
    })
    .await;
    assert_eq!(issuer.key_requests(), 0);
    let mut browser = Browser::new(&stack);
    let begun = browser.get("/api/v1/sign-in").await;
    assert_eq!(location(&begun), "/sign-in?reason=unavailable&return_to=%2F");
}

#[tokio::test]
async fn listed_hosts_of_an_issuer_may_be_inside() {
    let issuer = TestIssuer::start(USERS).await.unwrap();
    let elsewhere = "https://sso.corp.example.internal/authorize";
    issuer.name_endpoints(&json!({"authorization_endpoint": elsewhere}));
    let listed = "      endpoint_hosts: ['*.example.internal']\n";
    let (stack, _folder) = gateway(issuer.url(), listed, &[]).await;
    let begun = Browser::new(&stack).get("/api/v1/sign-in").await;
    assert!(location(&begun).starts_with(elsewhere), "{}", location(&begun));
}

#[tokio::test]
async fn a_sign_in_expires_and_is_revoked() {
    let issuer = TestIssuer::start(USERS).await.unwrap();
    let (stack, _folder) = gateway(issuer.url(), "      session_lifetime: 1h\n", &[]).await;
    let (mut ada, mut vera) = (Browser::new(&stack), Browser::new(&stack));
    ada.sign_in("ada").await;
    vera.sign_in("vera").await;
    assert_eq!(vera.get("/api/v1/sign-ins").await.status, 403);
    let listed = ada.get("/api/v1/sign-ins").await.body["sign_ins"].clone();
    let names: Vec<_> =
        listed.as_array().unwrap().iter().map(|one| one["user_name"].as_str().unwrap()).collect();
    assert_eq!(names, ["vera@example.org", "ada@example.org"]);
    let path = format!("/api/v1/sign-ins/{}", listed[0]["id"].as_str().unwrap());
    assert_eq!(ada.change(Method::DELETE, &path, &json!(null)).await.status, 204);
    assert_eq!(ada.change(Method::DELETE, &path, &json!(null)).await.status, 404);
    let cookies = vera.cookies.clone();
    eventually("the revoked sign-in is refused", async || {
        let mut vera = Browser::new(&stack);
        vera.cookies.clone_from(&cookies);
        vera.get("/api/v1/me").await.status == 401
    })
    .await;

    sqlx_expire(&stack).await;
    let cookies = ada.cookies.clone();
    eventually("the expired sign-in is refused", async || {
        let mut ada = Browser::new(&stack);
        ada.cookies.clone_from(&cookies);
        ada.get("/api/v1/me").await.status == 401
    })
    .await;
    let mut otto = Browser::new(&stack);
    otto.sign_in("otto").await;
    eventually("the audit log has the whole life of a sign-in", async || {
        let log = audit(&mut otto).await;
        [
            entry("vera@example.org", "sign_in", "allowed"),
            entry("ada@example.org", "revoke_sign_in", "allowed"),
            entry("ada@example.org", "expire_sign_in", "allowed"),
            entry("anonymous", "read", "denied"),
        ]
        .iter()
        .all(|one| log.contains(one))
    })
    .await;
}

/// Lets every sign-in expire.
async fn sqlx_expire(stack: &Stack) {
    stack
        .count("with changed as (update sign_ins set expires_at = now() returning 1) select count(*) from changed")
        .await
        .unwrap();
}

#[tokio::test]
async fn the_audit_log_has_sign_ins_refusals_and_sign_outs() {
    let (stack, issuer, _folder) = with_issuer().await;
    let mut browser = Browser::new(&stack);
    browser.sign_in("mallory").await;
    issuer.set_claims(&json!({"nonce": "wrong"}));
    browser.sign_in("ada").await;
    issuer.set_claims(&json!({}));
    browser.sign_in("ada").await;
    browser.change(Method::POST, "/api/v1/sign-out", &json!(null)).await;
    let mut otto = Browser::new(&stack);
    otto.sign_in("otto").await;
    eventually("the audit log has them", async || {
        let log = audit(&mut otto).await;
        let expected = [
            entry("otto@example.org", "sign_in", "allowed"),
            entry("ada@example.org", "sign_out", "allowed"),
            entry("ada@example.org", "sign_in", "allowed"),
            entry("anonymous", "sign_in", "denied"),
            entry("mallory@example.org", "sign_in", "denied"),
        ];
        log == expected
    })
    .await;
}

#[tokio::test]
async fn without_the_secret_of_the_client_the_service_does_not_start() {
    let (stack, folder) = gateway("http://127.0.0.1:1", "", &[]).await;
    let mut variables = stack.environment("api-gateway", "gateway-2");
    variables.insert("TARSY_CONFIG_DIR".to_owned(), folder.path().display().to_string());
    let settings = tarsy_service::Settings::from_map(variables).unwrap();
    let service = tarsy_service::ServiceContext::default();
    let error = tarsy_api_gateway::build(&settings, &service, None).await.unwrap_err();
    assert!(error.to_string().contains("OIDC_SECRET"), "{error}");
}
