//! Sends requests with a token, for the SSE transport, which is not part of the library.

use http::StatusCode;
use http::header::WWW_AUTHENTICATE;
use reqwest::{RequestBuilder, Response};

use super::account::Account;
use super::error::Error;
use crate::failure::{SendError, is_no_access};

impl Account {
    /// Sends a request with a token; a refused one is sent once more with a refreshed token. The body must
    /// not be a stream.
    pub(crate) async fn send(&self, request: RequestBuilder) -> Result<Response, SendError> {
        let token = self.token().await.map_err(token_error)?;
        let response = with_token(&request, token.as_deref())?.send().await?;
        let challenge = response.headers().get(WWW_AUTHENTICATE);
        if let Some(challenge) = challenge.and_then(|challenge| challenge.to_str().ok())
            && is_no_access(response.status())
        {
            self.set_challenge(challenge.to_owned());
        }
        let Some(sent) = token.filter(|_| response.status() == StatusCode::UNAUTHORIZED) else {
            return Ok(response);
        };
        match self.refresh_token(Some(&sent)).await.map_err(token_error)? {
            Some(refreshed) if refreshed != sent => {
                Ok(with_token(&request, Some(&refreshed))?.send().await?)
            }
            _ => Ok(response),
        }
    }
}

fn with_token(request: &RequestBuilder, token: Option<&str>) -> Result<RequestBuilder, SendError> {
    let not_repeatable = || SendError::Broken("the request cannot be sent twice".to_owned());
    let request = request.try_clone().ok_or_else(not_repeatable)?;
    Ok(match token {
        Some(token) => request.bearer_auth(token),
        None => request,
    })
}

#[expect(clippy::needless_pass_by_value, reason = "it maps errors")]
fn token_error(error: Error) -> SendError {
    SendError::NoToken(error.to_string())
}
