//! Where llm-service is, and how this process identifies itself to it.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use tonic::metadata::{Ascii, MetadataValue};
use tonic::transport::{Certificate, ClientTlsConfig, Identity};

use crate::error::Error;

/// Where llm-service is, and how a caller identifies itself to it.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Endpoint {
    /// Each is `http://HOST:PORT`, `https://HOST:PORT`, or `unix:PATH` of a socket. All addresses of a host are used, so
    /// that one name can stand for several replicas.
    pub addresses: Vec<String>,
    /// What callers and llm-service share.
    pub token: Option<String>,
    /// PEM; who signs the certificate of llm-service, if not an authority of the system.
    pub ca: Option<PathBuf>,
    /// PEM; the caller's own certificate and its key.
    pub identity: Option<(PathBuf, PathBuf)>,
}

impl Endpoint {
    /// An address without anything else: loopback, or a socket.
    pub fn at(address: impl Into<String>) -> Self {
        Self { addresses: vec![address.into()], ..Self::default() }
    }

    pub(crate) fn is_tls(&self) -> bool {
        self.addresses.iter().any(|address| address.starts_with("https://"))
    }

    /// The header that carries the token.
    pub(crate) fn authorization(&self) -> Result<Option<MetadataValue<Ascii>>, Error> {
        let Some(token) = &self.token else { return Ok(None) };
        let mut value: MetadataValue<Ascii> = format!("Bearer {token}")
            .parse()
            .map_err(|_| Error::Transport("the token of llm-service is not ASCII".to_owned()))?;
        value.set_sensitive(true);
        Ok(Some(value))
    }

    /// The authorities and the certificate of connections; fails if a file cannot be read.
    pub(crate) fn tls(&self) -> Result<Option<ClientTlsConfig>, Error> {
        if !self.is_tls() {
            return Ok(None);
        }
        let tls = match &self.ca {
            Some(ca) => ClientTlsConfig::new().ca_certificate(Certificate::from_pem(read(ca)?)),
            None => ClientTlsConfig::new().with_native_roots(),
        };
        let Some((cert, key)) = &self.identity else { return Ok(Some(tls)) };
        Ok(Some(tls.identity(Identity::from_pem(read(cert)?, read(key)?))))
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint")
            .field("addresses", &self.addresses)
            .field("token", &self.token.as_ref().map(|_| "hidden"))
            .field("ca", &self.ca)
            .field("identity", &self.identity.as_ref().map(|(cert, _)| cert))
            .finish()
    }
}

fn read(path: &Path) -> Result<Vec<u8>, Error> {
    fs::read(path)
        .map_err(|error| Error::Transport(format!("could not read {}: {error}", path.display())))
}
