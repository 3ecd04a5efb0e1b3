//! Responses that come from what all operations share, such as extractors and access control. They are added to the
//! OpenAPI document here, so that an operation only lists its own.

use utoipa::openapi::path::Operation;
use utoipa::openapi::{Content, OpenApi, PathItem, Ref, Response, ResponseBuilder};

use super::permissions;

/// Adds the shared responses that an operation does not describe itself.
pub(super) fn add(api: &mut OpenApi) {
    for (path, item) in &mut api.paths.paths {
        let is_public = permissions::is_public(path);
        for operation in operations(item) {
            for (status, description) in shared(path, is_public, operation.request_body.is_some()) {
                let responses = &mut operation.responses.responses;
                responses
                    .entry(status.to_owned())
                    .or_insert_with(|| response(status, description).into());
            }
        }
    }
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    let PathItem { get, put, post, delete, patch, .. } = item;
    [get, put, post, delete, patch].into_iter().flatten()
}

fn shared(path: &str, is_public: bool, has_body: bool) -> Vec<(&'static str, &'static str)> {
    let mut shared = vec![
        ("403", "The sender may not do this, or the host or the origin is not allowed"),
        ("500", "The request failed; the log has the cause under `trace_id`"),
        ("503", "PostgreSQL or NATS is unavailable; try again after `Retry-After`"),
        ("504", "The request took too long"),
    ];
    if !is_public {
        shared.push(("401", "The sender is not identified"));
    }
    if has_body || path.contains('{') {
        shared.push(("400", "A bad value"));
    }
    if has_body {
        shared.push(("408", "The body did not arrive in time"));
        shared.push(("413", "The body is too large"));
        shared.push(("415", "The body is not `application/json`"));
    }
    if path.starts_with("/api/v1/sessions/{") {
        let redirect = "The id was given out while PostgreSQL was unavailable; `Location` names the session's own";
        shared.push(("308", redirect));
    }
    shared
}

/// A problem, or a redirect without a body.
fn response(status: &str, description: &str) -> Response {
    let response = ResponseBuilder::new().description(description);
    if status.starts_with('3') {
        return response.build();
    }
    let problem = Content::new(Some(Ref::from_schema_name("Problem")));
    response.content(tarsy_web::problem::CONTENT_TYPE, problem).build()
}
