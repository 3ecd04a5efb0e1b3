//! The endpoints of the issuer.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use aws_lc_rs::digest::{SHA256, digest};
use aws_lc_rs::rand;
use axum::extract::{Form, Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{Html, IntoResponse as _, Redirect, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::{Value, json};
use url::{Url, form_urlencoded};

use super::key::encode;
use super::state::{CLIENT_ID, CLIENT_SECRET, Code, Inner};

pub(super) fn router(inner: Arc<Inner>) -> Router {
    Router::new()
        .route("/.well-known/openid-configuration", get(discovery))
        .route("/keys", get(keys))
        .route("/authorize", get(authorize))
        .route("/approve", get(approve))
        .route("/token", post(token))
        .with_state(inner)
}

async fn discovery(State(issuer): State<Arc<Inner>>) -> Json<Value> {
    let at = |path: &str| format!("{}/{path}", issuer.url);
    let mut document = json!({
        "issuer": issuer.url,
        "authorization_endpoint": at("authorize"),
        "token_endpoint": at("token"),
        "jwks_uri": at("keys"),
        "response_types_supported": ["code"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["RS256", "ES256"],
        "code_challenge_methods_supported": ["S256"],
    });
    if let Some(document) = document.as_object_mut() {
        document.extend(issuer.lock().endpoints.clone());
    }
    Json(document)
}

async fn keys(State(issuer): State<Arc<Inner>>) -> Response {
    issuer.key_requests.fetch_add(1, Ordering::SeqCst);
    let key = issuer.lock().key.jwk();
    match key {
        Ok(key) => {
            Json(json!({"keys": [{"kty": "oct", "kid": "not-for-tokens"}, key]})).into_response()
        }
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// A page with a link for each user.
async fn authorize(
    State(issuer): State<Arc<Inner>>,
    request: axum::extract::Request,
) -> Html<String> {
    let query = request.uri().query().unwrap_or_default().replace('&', "&amp;");
    let mut page = "<!doctype html><title>Test issuer</title><h1>Who are you?</h1><ul>".to_owned();
    for user in issuer.users.keys() {
        let link =
            format!("<li><a id=\"{user}\" href=\"/approve?user={user}&amp;{query}\">{user}</a>");
        page.push_str(&link);
    }
    Html(page)
}

#[derive(Deserialize)]
struct Approval {
    user: String,
    client_id: String,
    redirect_uri: Url,
    response_type: String,
    scope: String,
    state: String,
    nonce: String,
    code_challenge: String,
    code_challenge_method: String,
}

async fn approve(State(issuer): State<Arc<Inner>>, Query(asked): Query<Approval>) -> Response {
    let fits = asked.client_id == CLIENT_ID
        && asked.response_type == "code"
        && asked.scope.split(' ').any(|scope| scope == "openid")
        && asked.code_challenge_method == "S256";
    let mut bytes = [0_u8; 16];
    if !fits || rand::fill(&mut bytes).is_err() {
        return (StatusCode::BAD_REQUEST, "the request does not fit").into_response();
    }
    let code = encode(bytes);
    let given = Code {
        user: asked.user,
        nonce: asked.nonce,
        challenge: asked.code_challenge,
        redirect_uri: asked.redirect_uri.to_string(),
    };
    issuer.lock().codes.insert(code.clone(), given);
    let mut back = asked.redirect_uri;
    back.query_pairs_mut().append_pair("code", &code).append_pair("state", &asked.state);
    Redirect::to(back.as_str()).into_response()
}

#[derive(Deserialize)]
struct Redemption {
    grant_type: String,
    code: String,
    redirect_uri: String,
    code_verifier: String,
}

async fn token(
    State(issuer): State<Arc<Inner>>,
    headers: HeaderMap,
    Form(form): Form<Redemption>,
) -> Response {
    let refused = |status: StatusCode, error: &str| {
        (status, Json(json!({"error": error, "error_description": "refused"}))).into_response()
    };
    if !is_client(&headers) {
        return refused(StatusCode::UNAUTHORIZED, "invalid_client");
    }
    // A code is good for one attempt, whatever comes of it.
    let Some(code) = issuer.lock().codes.remove(&form.code) else {
        return refused(StatusCode::BAD_REQUEST, "invalid_grant");
    };
    let challenge = encode(digest(&SHA256, form.code_verifier.as_bytes()));
    if form.grant_type != "authorization_code"
        || form.redirect_uri != code.redirect_uri
        || challenge != code.challenge
    {
        return refused(StatusCode::BAD_REQUEST, "invalid_grant");
    }
    let mut claims = issuer.claims(&code.user);
    let state = issuer.lock();
    if let Some(claims) = claims.as_object_mut() {
        claims.insert("nonce".to_owned(), code.nonce.into());
        claims.extend(state.overrides.clone());
    }
    match state.key.sign(&claims) {
        Ok(id_token) => Json(json!({
            "access_token": "for-nothing", "token_type": "Bearer", "expires_in": 300, "id_token": id_token,
        }))
        .into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

fn is_client(headers: &HeaderMap) -> bool {
    let encoded = |text: &str| form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
    let expected = format!("{}:{}", encoded(CLIENT_ID), encoded(CLIENT_SECRET));
    let expected = format!("Basic {}", STANDARD.encode(expected));
    headers.get(header::AUTHORIZATION).is_some_and(|sent| sent == expected.as_str())
}
