//! Requests with a token, for the transport that is not the library's.

use http::StatusCode;
use http::header::WWW_AUTHENTICATE;
use reqwest::{RequestBuilder, Response};

use super::{Account, Error};
use crate::failure::{SendError, is_no_access};

impl Account {
    /// Sends a request with a token; one that is refused is made once more with a new token. Its body
    /// is no stream.
    pub(crate) async fn send(&self, request: RequestBuilder) -> Result<Response, SendError> {
        let token = self.token().await.map_err(no_token)?;
        let answer = with(&request, token.as_deref())?.send().await?;
        let challenge = answer.headers().get(WWW_AUTHENTICATE);
        if let Some(challenge) = challenge.and_then(|challenge| challenge.to_str().ok())
            && is_no_access(answer.status())
        {
            self.challenged(challenge.to_owned());
        }
        let Some(sent) = token.filter(|_| answer.status() == StatusCode::UNAUTHORIZED) else {
            return Ok(answer);
        };
        match self.renew(Some(&sent)).await.map_err(no_token)? {
            Some(fresh) if fresh != sent => Ok(with(&request, Some(&fresh))?.send().await?),
            _ => Ok(answer),
        }
    }
}

fn with(request: &RequestBuilder, token: Option<&str>) -> Result<RequestBuilder, SendError> {
    let again = || SendError::Broken("the request cannot be made twice".to_owned());
    let request = request.try_clone().ok_or_else(again)?;
    Ok(match token {
        Some(token) => request.bearer_auth(token),
        None => request,
    })
}

#[expect(clippy::needless_pass_by_value, reason = "it maps errors")]
fn no_token(error: Error) -> SendError {
    SendError::NoToken(error.to_string())
}
