//! The search over alerts, findings, tool calls and chats.

use axum::extract::State;
use serde::Deserialize;
use tarsy_contracts::search::SearchPage;
use tarsy_store::SearchQuery;
use tarsy_web::{FieldError, Json, Problem, Query};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::access::Principal;
use crate::http::list_query::ListQuery;
use crate::http::query_text::{given, quoted};
use crate::state::AppState;

const MIN_TEXT: usize = 2;
const MAX_TEXT: usize = 200;
const MAX_LIMIT: usize = 50;
const LIMIT: usize = 20;

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(find))
}

/// What is searched for.
// Imported, the derive would make the paths that `utoipa::path` expands to unneeded, which is a warning.
#[derive(Debug, Default, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
struct SearchParams {
    /// Words that all occur in one text, 2 to 200 characters; the last one may be the beginning of a word.
    #[param(required)]
    q: Option<String>,
    /// Sessions of a page, 1 to 50; 20 without it.
    #[param(value_type = Option<i64>)]
    limit: Option<String>,
    /// `next_cursor` of the page before.
    cursor: Option<String>,
}

impl SearchParams {
    fn read(&self, filter: &ListQuery, reader: &str) -> Result<SearchQuery, Problem> {
        let mut errors = Vec::new();
        let text = given(self.q.as_ref()).unwrap_or_default();
        let filter = filter.read(reader);
        if let Err(problem) = &filter {
            errors.extend(problem.errors().iter().cloned());
        }
        let length = text.chars().count();
        if !(MIN_TEXT..=MAX_TEXT).contains(&length) {
            let message =
                format!("has {length} characters; write {MIN_TEXT} to {MAX_TEXT} characters");
            errors.push(FieldError::new("q", message));
        }
        let limit = match given(self.limit.as_ref()).map(str::parse) {
            None => LIMIT,
            Some(Ok(limit)) if (1..=MAX_LIMIT).contains(&limit) => limit,
            Some(_) => {
                let message = format!("is not a number from 1 to {MAX_LIMIT}; write one");
                errors.push(FieldError::new("limit", message));
                LIMIT
            }
        };
        let after = given(self.cursor.as_ref()).map(|cursor| {
            cursor.parse().map_err(|()| {
                let message =
                    format!("is {}; write next_cursor of the page before", quoted(cursor));
                errors.push(FieldError::new("cursor", message));
            })
        });
        if !errors.is_empty() {
            return Err(Problem::invalid(errors));
        }
        let after = after.and_then(Result::ok);
        Ok(SearchQuery { text: text.to_owned(), filter: filter?, limit, after })
    }
}

/// Sessions in which all words occur in one text, with excerpts, the newest first. The filters are those of the list; its
/// `page`, `page_size`, `sort_by`, `sort_order` and `search` have no effect. A page may have fewer sessions than asked for,
/// or none, although more follow: `next_cursor` is missing at the end.
#[utoipa::path(
    get, path = "/search", tag = "sessions", operation_id = "search",
    params(SearchParams, ListQuery),
    responses(
        (status = 200, description = "What was found", body = SearchPage),
        (status = 400, description = "A bad value", body = Problem,
         content_type = "application/problem+json"),
    )
)]
#[tracing::instrument(name = "http.search.find", skip_all)]
async fn find(
    State(app): State<AppState>,
    principal: Principal,
    Query(params): Query<SearchParams>,
    Query(filter): Query<ListQuery>,
) -> Result<Json<SearchPage>, Problem> {
    Ok(Json(app.store.search(&params.read(&filter, &principal.name)?).await?))
}
