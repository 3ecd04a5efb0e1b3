//! Stores tokens in the database, sealed with AES-256-GCM.

use std::sync::Arc;

use aws_lc_rs::aead::{AES_256_GCM, Aad, NONCE_LEN, Nonce, RandomizedNonceKey};
use tarsy_store::{LockedToken, Store};

use super::credentials::Credentials;
use super::error::Error;

/// The version of the format: the first byte of sealed data.
const FORMAT: u8 = 1;

/// Stores tokens, sealed with the first of its keys; the other keys only open.
#[derive(Clone)]
pub struct Vault {
    store: Store,
    keys: Arc<[[u8; 32]]>,
}

impl Vault {
    pub fn new(store: Store, keys: Vec<[u8; 32]>) -> Self {
        Self { store, keys: keys.into() }
    }

    pub(super) async fn load(&self, server: &str) -> Result<Option<Credentials>, Error> {
        let sealed = self.store.find_oauth_token(server).await?;
        sealed.map(|sealed| self.open(server, &sealed)).transpose()
    }

    pub(super) async fn save(&self, server: &str, credentials: &Credentials) -> Result<(), Error> {
        let sealed = self.seal(server, credentials)?;
        Ok(self.store.set_oauth_token(server, &sealed).await?)
    }

    /// Loads the credentials of a server and locks them, so that no other gateway refreshes them.
    pub(super) async fn lock(
        &self,
        server: &str,
    ) -> Result<(LockedToken, Option<Credentials>), Error> {
        let mut locked = self.store.lock_oauth_token(server).await?;
        let sealed = locked.sealed().await?;
        let credentials = sealed.map(|sealed| self.open(server, &sealed)).transpose()?;
        Ok((locked, credentials))
    }

    /// Replaces locked credentials, and unlocks them.
    pub(super) async fn replace(
        &self,
        locked: LockedToken,
        server: &str,
        credentials: &Credentials,
    ) -> Result<(), Error> {
        let sealed = self.seal(server, credentials)?;
        Ok(locked.replace(&sealed).await?)
    }

    fn seal(&self, server: &str, credentials: &Credentials) -> Result<Vec<u8>, Error> {
        let key = self.keys.first().ok_or(Error::NoVault)?;
        let text = serde_json::to_vec(credentials).map_err(|_| Error::Decryption)?;
        seal(key, server, text).ok_or(Error::Decryption)
    }

    fn open(&self, server: &str, sealed: &[u8]) -> Result<Credentials, Error> {
        let opened = self.keys.iter().find_map(|key| open(key, server, sealed));
        opened.and_then(|text| serde_json::from_slice(&text).ok()).ok_or(Error::Decryption)
    }
}

/// The format, the nonce and the sealed text, which only opens for the same server.
fn seal(key: &[u8; 32], server: &str, mut text: Vec<u8>) -> Option<Vec<u8>> {
    let key = RandomizedNonceKey::new(&AES_256_GCM, key).ok()?;
    let nonce = key.seal_in_place_append_tag(Aad::from(server), &mut text).ok()?;
    Some([&[FORMAT], nonce.as_ref().as_slice(), &text].concat())
}

fn open(key: &[u8; 32], server: &str, sealed: &[u8]) -> Option<Vec<u8>> {
    let rest = sealed.strip_prefix(&[FORMAT])?;
    let (nonce, text) = rest.split_at_checked(NONCE_LEN)?;
    let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
    let key = RandomizedNonceKey::new(&AES_256_GCM, key).ok()?;
    let mut text = text.to_vec();
    let opened = key.open_in_place(nonce, Aad::from(server), &mut text).ok()?;
    Some(opened.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sealed_data_opens_only_for_its_server_and_with_its_key() {
        let (key, other) = ([7; 32], [8; 32]);
        let sealed = seal(&key, "jira", b"the-refresh-token".to_vec()).unwrap();
        assert!(!sealed.windows(7).any(|part| part == b"refresh"), "nothing is readable");
        assert_eq!(open(&key, "jira", &sealed).unwrap(), b"the-refresh-token");
        assert!(open(&other, "jira", &sealed).is_none());
        assert!(open(&key, "wiki", &sealed).is_none());
        let again = seal(&key, "jira", b"the-refresh-token".to_vec()).unwrap();
        assert_ne!(sealed, again, "every nonce is used once");
    }

    #[test]
    fn changed_or_truncated_data_does_not_open() {
        let key = [7; 32];
        let sealed = seal(&key, "jira", b"text".to_vec()).unwrap();
        for at in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[at] ^= 1;
            assert!(open(&key, "jira", &changed).is_none(), "byte {at}");
            assert!(open(&key, "jira", &sealed[..at]).is_none(), "cut at {at}");
        }
    }
}
