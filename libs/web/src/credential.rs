//! When the credential of a connection ends.

use tokio::sync::watch;

/// The code that closes a WebSocket whose credential ended: sign in again, then connect again.
pub const CREDENTIAL_ENDED: u16 = 4401;
/// The reason beside the code.
pub const CREDENTIAL_ENDED_REASON: &str = "the credential expired or was revoked; sign in again";

/// Reports the end of the credential that opened a WebSocket; in the extensions of its request.
#[derive(Clone, Debug)]
pub struct CredentialEnd(watch::Receiver<bool>);

impl CredentialEnd {
    /// The report, and who makes it. Whoever watches the credential may stop when the sender is closed.
    pub fn new() -> (watch::Sender<bool>, Self) {
        let (sender, receiver) = watch::channel(false);
        (sender, Self(receiver))
    }

    /// Waits until the credential of a connection ends; without one, for ever.
    pub async fn wait(end: Option<Self>) {
        if let Some(Self(mut receiver)) = end
            && receiver.wait_for(|ended| *ended).await.is_ok()
        {
            return;
        }
        std::future::pending::<()>().await;
    }
}
