//! Where tokens are kept: in the database, sealed.

use std::sync::Arc;

use aws_lc_rs::aead::{AES_256_GCM, Aad, NONCE_LEN, Nonce, RandomizedNonceKey};
use tarsy_store::{LockedToken, Store};

use super::Error;
use super::kept::Kept;

/// The first byte of all that is sealed.
const FORM: u8 = 1;

/// Keeps tokens in the database, sealed with the first of its keys; the others only open.
#[derive(Clone)]
pub struct Vault {
    store: Store,
    keys: Arc<[[u8; 32]]>,
}

impl Vault {
    /// A vault with these keys.
    pub fn new(store: Store, keys: Vec<[u8; 32]>) -> Self {
        Self { store, keys: keys.into() }
    }

    /// What is kept for a server.
    pub(super) async fn load(&self, server: &str) -> Result<Option<Kept>, Error> {
        let sealed = self.store.find_oauth_token(server).await?;
        sealed.map(|sealed| self.open(server, &sealed)).transpose()
    }

    /// Keeps this for a server.
    pub(super) async fn save(&self, server: &str, kept: &Kept) -> Result<(), Error> {
        let sealed = self.seal(server, kept)?;
        Ok(self.store.set_oauth_token(server, &sealed).await?)
    }

    /// Holds what is kept for a server, so that no other gateway renews it meanwhile.
    pub(super) async fn hold(&self, server: &str) -> Result<(LockedToken, Option<Kept>), Error> {
        let mut held = self.store.lock_oauth_token(server).await?;
        let sealed = held.sealed().await?;
        let kept = sealed.map(|sealed| self.open(server, &sealed)).transpose()?;
        Ok((held, kept))
    }

    /// Keeps this in the place of what is held.
    pub(super) async fn replace(
        &self,
        held: LockedToken,
        server: &str,
        kept: &Kept,
    ) -> Result<(), Error> {
        let sealed = self.seal(server, kept)?;
        Ok(held.replace(&sealed).await?)
    }

    fn seal(&self, server: &str, kept: &Kept) -> Result<Vec<u8>, Error> {
        let key = self.keys.first().ok_or(Error::NoVault)?;
        let text = serde_json::to_vec(kept).map_err(|_| Error::Sealed)?;
        seal(key, server, text).ok_or(Error::Sealed)
    }

    fn open(&self, server: &str, sealed: &[u8]) -> Result<Kept, Error> {
        let opened = self.keys.iter().find_map(|key| open(key, server, sealed));
        opened.and_then(|text| serde_json::from_slice(&text).ok()).ok_or(Error::Sealed)
    }
}

/// The form, the nonce, and the sealed text, which only opens for the same server.
fn seal(key: &[u8; 32], server: &str, mut text: Vec<u8>) -> Option<Vec<u8>> {
    let key = RandomizedNonceKey::new(&AES_256_GCM, key).ok()?;
    let nonce = key.seal_in_place_append_tag(Aad::from(server), &mut text).ok()?;
    Some([&[FORM], nonce.as_ref().as_slice(), &text].concat())
}

fn open(key: &[u8; 32], server: &str, sealed: &[u8]) -> Option<Vec<u8>> {
    let rest = sealed.strip_prefix(&[FORM])?;
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
    fn what_is_sealed_opens_for_its_server_with_its_key_alone() {
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
    fn a_changed_byte_or_a_cut_is_noticed() {
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
