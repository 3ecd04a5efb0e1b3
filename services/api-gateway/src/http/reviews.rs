//! Reviews: what people think of the findings of sessions.

use axum::extract::State;
use serde::Serialize;
use serde_json::Value;
use tarsy_contracts::review::SessionReview;
use tarsy_domain::code::Code;
use tarsy_domain::id::SessionId;
use tarsy_domain::review::Review;
use tarsy_store::{MAX_REVIEWS, NewReview, ReviewOutcome};
use tarsy_web::{FieldError, Json, Path, Problem};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::access::Principal;
use crate::http::sessions::{OfSession, unknown};
use crate::masking;
use crate::metrics;
use crate::state::AppState;
use crate::submission::check::{Checker, kind};

/// What the audit log calls a review, over REST and from Slack.
pub(super) const REVIEW_ACTION: &str = "review_session";

const MAX_CAUSE: usize = 2_000;
const MAX_OBJECT: usize = 200;
const MAX_CATEGORY: usize = 100;

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(find, review))
}

#[derive(Debug, Serialize, ToSchema)]
struct Reviews {
    /// The one that counts: the last; none before somebody reviewed the session.
    review: Option<SessionReview>,
    /// Those before it, the newest first.
    history: Vec<SessionReview>,
}

/// What people think of the finding of a session.
#[utoipa::path(
    get, path = "/sessions/{id}/review", tag = "sessions", operation_id = "get_review",
    params(("id" = Uuid, Path, description = "The session")),
    responses(
        (status = 200, description = "The review that counts, and those before it", body = Reviews),
        (status = 404, description = "No such session", body = Problem,
         content_type = "application/problem+json"),
    )
)]
#[tracing::instrument(name = "http.review.get", skip_all, fields(session.id = %path.id))]
async fn find(
    State(app): State<AppState>,
    Path(path): Path<OfSession>,
) -> Result<Json<Reviews>, Problem> {
    let found = app.store.list_reviews(path.id).await?;
    let mut reviews = found.ok_or_else(|| unknown(path.id))?.into_iter();
    Ok(Json(Reviews { review: reviews.next(), history: reviews.collect() }))
}

#[derive(Debug, ToSchema)]
#[expect(dead_code, reason = "describes the body, which is checked member by member")]
struct NewReviewBody {
    /// `accurate`, `partly` or `wrong`.
    #[schema(example = "wrong")]
    review: String,
    #[schema(min_length = 1, max_length = 2_000)]
    actual_cause: Option<String>,
    /// The object that the cause was in, such as a service or a pod: later alerts about it get the review, too.
    #[schema(min_length = 1, max_length = 200)]
    object: Option<String>,
    /// The kind of cause, such as `configuration`.
    #[schema(min_length = 1, max_length = 100)]
    category: Option<String>,
}

/// Reviews a session that has ended. The last review counts; those before it are kept.
#[utoipa::path(
    put, path = "/sessions/{id}/review", tag = "sessions", operation_id = "review_session",
    params(("id" = Uuid, Path, description = "The session")),
    request_body = NewReviewBody,
    responses(
        (status = 200, description = "It counts from now on", body = SessionReview),
        (status = 400, description = "Something is wrong with the review", body = Problem,
         content_type = "application/problem+json"),
        (status = 404, description = "No such session", body = Problem,
         content_type = "application/problem+json"),
        (status = 409, description = "The session has not ended, or has too many reviews", body = Problem,
         content_type = "application/problem+json"),
    )
)]
#[tracing::instrument(name = "http.review.put", skip_all, fields(session.id = %path.id))]
async fn review(
    State(app): State<AppState>,
    Path(path): Path<OfSession>,
    principal: Principal,
    Json(body): Json<Value>,
) -> Result<Json<SessionReview>, Problem> {
    let given = read(&body).map_err(Problem::invalid)?;
    Ok(Json(review_as(&app, &principal, path.id, given).await?))
}

/// What a person thinks of a finding, as they wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct GivenReview {
    pub(super) review: Review,
    pub(super) actual_cause: Option<String>,
    pub(super) object: Option<String>,
    pub(super) category: Option<String>,
}

/// Why a review does not count.
#[derive(Debug)]
pub(super) enum NotReviewed {
    /// The session has not ended, or has too many; which of them.
    Refused(String),
    NotFound(SessionId),
    Masking(masking::Error),
    Failed(tarsy_store::Error),
}

impl From<NotReviewed> for Problem {
    fn from(reason: NotReviewed) -> Self {
        match reason {
            NotReviewed::Refused(detail) => Self::new(Code::Conflict, detail),
            NotReviewed::NotFound(id) => unknown(id),
            NotReviewed::Masking(error) => error.into(),
            NotReviewed::Failed(error) => error.into(),
        }
    }
}

/// Adds a review of a sender that may: over REST, or with a button in Slack.
pub(super) async fn review_as(
    app: &AppState,
    principal: &Principal,
    session_id: SessionId,
    given: GivenReview,
) -> Result<SessionReview, NotReviewed> {
    let mask = |text: Option<String>| text.map(|text| app.masker.mask(text)).transpose();
    let new = NewReview {
        session_id,
        review: given.review,
        actual_cause: mask(given.actual_cause).map_err(NotReviewed::Masking)?,
        object: mask(given.object).map_err(NotReviewed::Masking)?,
        category: mask(given.category).map_err(NotReviewed::Masking)?,
        reviewer: principal.name.clone(),
    };
    match app.store.insert_review(new).await.map_err(NotReviewed::Failed)? {
        ReviewOutcome::Added(review) => {
            metrics::review(review.review);
            Ok(review)
        }
        ReviewOutcome::NotEnded(status) => Err(NotReviewed::Refused(format!(
            "the session is {status}; review it when it has ended"
        ))),
        ReviewOutcome::TooMany => Err(NotReviewed::Refused(format!(
            "the session has {MAX_REVIEWS} reviews; no more are kept"
        ))),
        ReviewOutcome::NotFound => Err(NotReviewed::NotFound(session_id)),
    }
}

fn read(body: &Value) -> Result<GivenReview, Vec<FieldError>> {
    let mut check = Checker::default();
    let Some(object) = body.as_object() else {
        let message = format!("is {}; send {{\"review\": \"accurate\"}}", kind(body));
        return Err(vec![FieldError::new("body", message)]);
    };
    check.known("", object, &["review", "actual_cause", "object", "category"]);
    let review = object.get("review").and_then(Value::as_str).and_then(|word| word.parse().ok());
    if review.is_none() {
        check.wrong("review", "write accurate, partly or wrong");
    }
    let actual_cause = check.text(object, "actual_cause", MAX_CAUSE);
    let about = check.text(object, "object", MAX_OBJECT);
    let category = check.text(object, "category", MAX_CATEGORY);
    match (review, check.errors.is_empty()) {
        (Some(review), true) => Ok(GivenReview { review, actual_cause, object: about, category }),
        _ => Err(check.errors),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_review_is_read_with_what_it_names() {
        let body = json!({"review": "wrong", "actual_cause": " a full disk ", "object": "web-1", "category": ""});
        let read = read(&body).unwrap();
        assert_eq!(
            (read.review, read.actual_cause.as_deref()),
            (Review::Wrong, Some("a full disk"))
        );
        assert_eq!((read.object.as_deref(), read.category), (Some("web-1"), None));
    }

    #[test]
    fn all_that_is_wrong_with_a_review_is_named() {
        let fields = |body: Value| -> Vec<String> {
            read(&body).unwrap_err().into_iter().map(|error| error.field).collect()
        };
        assert_eq!(fields(json!("wrong")), ["body"]);
        assert_eq!(fields(json!({"review": "right", "cause": "x"})), ["cause", "review"]);
        let long = json!({
            "review": "partly", "actual_cause": "x".repeat(2_001), "object": "x".repeat(201),
            "category": "x".repeat(101),
        });
        assert_eq!(fields(long), ["actual_cause", "object", "category"]);
        assert_eq!(fields(json!({"review": "partly", "actual_cause": "a\0b"})), ["actual_cause"]);
    }
}
