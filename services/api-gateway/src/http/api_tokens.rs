//! API tokens of alert sources and scripts.

use std::time::Duration;

use axum::extract::State;
use http::StatusCode;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tarsy_domain::access::{Grant, Role};
use tarsy_domain::code::Code;
use tarsy_store::{ApiToken, Conflict, Error, NewApiToken, secret};
use tarsy_web::{FieldError, Json, Path, Problem};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use crate::access::Principal;
use crate::state::AppState;

/// The most tokens that are listed.
const MAX_LISTED: i64 = 1_000;
const MAX_NAME: usize = 100;
const MAX_DAYS: u32 = 3_650;
const DAY: Duration = Duration::from_hours(24);

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(list, create)).routes(routes!(revoke))
}

/// An API token, without its text.
#[derive(Debug, Serialize, ToSchema)]
struct TokenView {
    id: Uuid,
    name: String,
    /// Its role; none for a token of an alert source.
    role: Option<&'static str>,
    /// The only alert types that an alert source may submit.
    alert_types: Option<Vec<String>>,
    created_by: String,
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    #[schema(value_type = String, format = DateTime)]
    expires_at: Timestamp,
    /// To the minute.
    #[schema(value_type = Option<String>, format = DateTime)]
    last_used_at: Option<Timestamp>,
}

impl From<ApiToken> for TokenView {
    fn from(token: ApiToken) -> Self {
        let (role, alert_types) = match token.grant {
            Grant::Role(role) => (Some(role.as_str()), None),
            Grant::Source { alert_types } => (None, Some(alert_types)),
        };
        Self {
            id: token.id,
            name: token.name,
            role,
            alert_types,
            created_by: token.created_by,
            created_at: token.created_at,
            expires_at: token.expires_at,
            last_used_at: token.last_used_at,
        }
    }
}

#[derive(Debug, Serialize, ToSchema)]
struct Tokens {
    tokens: Vec<TokenView>,
}

/// The API tokens that are not revoked.
#[utoipa::path(
    get, path = "/tokens", tag = "access", operation_id = "list_tokens",
    responses((status = 200, description = "The tokens, by name", body = Tokens))
)]
async fn list(State(app): State<AppState>) -> Result<Json<Tokens>, Problem> {
    let tokens = app.store.list_api_tokens(MAX_LISTED).await?;
    Ok(Json(Tokens { tokens: tokens.into_iter().map(TokenView::from).collect() }))
}

/// A token to create: with a role, or with alert types.
#[derive(Debug, Deserialize, ToSchema)]
struct NewToken {
    /// Unique among the tokens that are not revoked.
    #[schema(min_length = 1, max_length = 100)]
    name: String,
    /// `viewer`, `responder`, `operator` or `admin`.
    role: Option<String>,
    /// For an alert source: it may only submit alerts of these types.
    alert_types: Option<Vec<String>>,
    /// From 1 to 3650.
    #[schema(minimum = 1, maximum = 3650)]
    expires_in_days: u32,
}

#[derive(Debug, Serialize, ToSchema)]
struct CreatedToken {
    /// The text to send as `Authorization: Bearer`; it cannot be shown again.
    token: String,
    #[serde(flatten)]
    view: TokenView,
}

/// Creates an API token.
#[utoipa::path(
    post, path = "/tokens", tag = "access", operation_id = "create_token",
    request_body = NewToken,
    responses(
        (status = 201, description = "The token, with its text", body = CreatedToken),
        (status = 400, description = "A bad value", body = Problem,
         content_type = "application/problem+json"),
        (status = 409, description = "A token has this name", body = Problem,
         content_type = "application/problem+json"),
    )
)]
#[tracing::instrument(name = "http.token.create", skip_all)]
async fn create(
    State(app): State<AppState>,
    principal: Principal,
    Json(body): Json<Value>,
) -> Result<(StatusCode, Json<CreatedToken>), Problem> {
    let known = app.catalog().alert_types();
    let known: Vec<&str> = known.iter().map(|one| one.alert_type.as_str()).collect();
    let (new, grant) = read(body, &known).map_err(Problem::invalid)?;
    let text = secret::new_token()
        .ok_or_else(|| Problem::new(Code::Unavailable, "the system has no randomness"))?;
    let created = app.store.insert_api_token(NewApiToken {
        name: new.name,
        hash: secret::hash(&text),
        grant,
        created_by: principal.name,
        lifetime: DAY * new.expires_in_days,
    });
    let token = match created.await {
        Err(Error::Conflict(Conflict::Exists { .. })) => {
            let detail =
                "name: a token that is not revoked has this name; revoke it, or choose another";
            return Err(Problem::new(Code::Conflict, detail));
        }
        token => token?,
    };
    Ok((StatusCode::CREATED, Json(CreatedToken { token: text, view: token.into() })))
}

/// Revokes an API token; replicas stop accepting it within seconds.
#[utoipa::path(
    delete, path = "/tokens/{id}", tag = "access", operation_id = "revoke_token",
    params(("id" = Uuid, Path, description = "The token")),
    responses(
        (status = 204, description = "It is revoked"),
        (status = 404, description = "No token that is valid has this id", body = Problem,
         content_type = "application/problem+json"),
    )
)]
#[tracing::instrument(name = "http.token.revoke", skip_all)]
async fn revoke(
    State(app): State<AppState>,
    Path(path): Path<OfToken>,
) -> Result<StatusCode, Problem> {
    match app.store.revoke_api_token(path.id).await? {
        Some(_) => Ok(StatusCode::NO_CONTENT),
        None => Err(Problem::not_found(format!("no token that is valid has the id {}", path.id))),
    }
}

/// The token that a path names.
#[derive(Clone, Copy, Debug, Deserialize)]
struct OfToken {
    id: Uuid,
}

/// A token's fields and its grant, or all that is wrong with them.
fn read(body: Value, known_types: &[&str]) -> Result<(NewToken, Grant), Vec<FieldError>> {
    let mut new: NewToken = serde_json::from_value(body).map_err(|error| {
        let message = format!("{error}; send name, expires_in_days, and role or alert_types");
        vec![FieldError::new("body", message)]
    })?;
    let mut errors = Vec::new();
    new.name = new.name.trim().into();
    if new.name.is_empty() || new.name.chars().count() > MAX_NAME {
        errors.push(FieldError::new("name", format!("write 1 to {MAX_NAME} characters")));
    }
    if !(1..=MAX_DAYS).contains(&new.expires_in_days) {
        let message = format!("write a number from 1 to {MAX_DAYS}");
        errors.push(FieldError::new("expires_in_days", message));
    }
    match grant(&new, known_types) {
        Ok(grant) if errors.is_empty() => Ok((new, grant)),
        Ok(_) => Err(errors),
        Err(error) => {
            errors.push(error);
            Err(errors)
        }
    }
}

fn grant(new: &NewToken, known_types: &[&str]) -> Result<Grant, FieldError> {
    match (new.role.as_deref(), &new.alert_types) {
        (Some(role), None) => role.parse().map(Grant::Role).map_err(|_| {
            let roles = Role::ALL.map(Role::as_str).join(", ");
            FieldError::new("role", format!("is not a role; write one of {roles}"))
        }),
        (None, Some(given)) => {
            let wrong = |message: String| Err(FieldError::new("alert_types", message));
            if given.is_empty() {
                return wrong("is empty; name the types that the source may submit".to_owned());
            }
            if let Some(unknown) = given.iter().find(|one| !known_types.contains(&one.as_str())) {
                let known = known_types.join(", ");
                return wrong(format!("no chain serves `{unknown}`; there are {known}"));
            }
            Ok(Grant::Source { alert_types: given.clone() })
        }
        _ => Err(FieldError::new("role", "send either role or alert_types")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn fields(body: Value) -> Vec<String> {
        let errors = read(body, &["kubernetes"]).err().unwrap_or_default();
        errors.into_iter().map(|error| error.field).collect()
    }

    #[test]
    fn a_token_has_a_role_or_alert_types() {
        let (_, grant) =
            read(json!({"name": "ci", "role": "viewer", "expires_in_days": 30}), &[]).unwrap();
        assert_eq!(grant, Grant::Role(Role::Viewer));
        let source = json!({"name": "am", "alert_types": ["kubernetes"], "expires_in_days": 1});
        assert!(read(source, &["kubernetes"]).is_ok());
        assert_eq!(fields(json!({"name": "x", "expires_in_days": 1})), ["role"]);
        let both = json!({"name": "x", "role": "admin", "alert_types": [], "expires_in_days": 1});
        assert_eq!(fields(both), ["role"]);
    }

    #[test]
    fn all_bad_fields_are_reported_at_once() {
        let body = json!({"name": " ", "role": "root", "expires_in_days": 0});
        assert_eq!(fields(body), ["name", "expires_in_days", "role"]);
        let body = json!({"name": "x", "alert_types": ["unknown"], "expires_in_days": 4000});
        assert_eq!(fields(body), ["expires_in_days", "alert_types"]);
        assert_eq!(fields(json!([])), ["body"]);
    }
}
