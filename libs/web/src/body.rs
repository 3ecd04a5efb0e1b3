//! Bodies that are read within a budget of bytes.

use axum::body::{Body, Bytes};
use futures::StreamExt as _;
use http::HeaderMap;
use http::header::CONTENT_LENGTH;
use tarsy_domain::code::Code;

use crate::extract::is_late;
use crate::problem::Problem;

/// How many bytes are taken at a time, before they are read: more than a connection delivers at once, as a rule.
const STEP: usize = 64 * 1024;

/// Why a body is not read to its end.
#[derive(Debug)]
pub enum BodyError {
    /// It has more bytes than it may have.
    TooLarge,
    /// The budget has no capacity for its next bytes.
    NoCapacity,
    /// It broke off, or was late.
    Broken(Problem),
}

/// Reads a body of at most so many bytes. `take` is asked for capacity before bytes are read, with how many the body may then
/// have in all.
pub async fn read_body(
    headers: &HeaderMap,
    body: Body,
    most: usize,
    mut take: impl FnMut(usize) -> bool + Send,
) -> Result<Bytes, BodyError> {
    let stated = headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok());
    if stated.is_some_and(|stated: usize| stated > most) {
        return Err(BodyError::TooLarge);
    }
    let mut chunks = body.into_data_stream();
    let mut read = Vec::new();
    loop {
        if !take(read.len() + STEP) {
            return Err(BodyError::NoCapacity);
        }
        let Some(chunk) = chunks.next().await else { return Ok(read.into()) };
        let chunk = chunk.map_err(|error| BodyError::Broken(broken(&error)))?;
        if read.len() + chunk.len() > most {
            return Err(BodyError::TooLarge);
        }
        read.extend_from_slice(&chunk);
    }
}

fn broken(error: &axum::Error) -> Problem {
    if is_late(error) {
        return Problem::body_timeout(
            "the body did not arrive in time; send it again, all at once, over a new connection",
        );
    }
    Problem::new(Code::Invalid, "the body broke off before its end; send it again")
}
