//! Connections that are identified by keys and certificates.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use nkeys::KeyPair;
use tarsy_bus::{Bus, BusOptions, BusSecurity};
use tarsy_contracts::permissions::{Credential, accounts};
use tarsy_testkit::{TestAuthority, TestNats, connected};

fn write(folder: &Path, name: &str, text: &str) -> anyhow::Result<PathBuf> {
    let path = folder.join(name);
    std::fs::write(&path, text)?;
    Ok(path)
}

async fn connect(url: String, security: BusSecurity) -> anyhow::Result<Bus> {
    let (service, instance) = ("notifier", "one".to_owned());
    Ok(Bus::connect(BusOptions { url, service, instance, security, replicas: 1 }).await?)
}

/// Whether a connection opens within a second; the client would try for ever.
async fn opens(url: &str, security: BusSecurity) -> anyhow::Result<bool> {
    let bus = connect(url.to_owned(), security).await?;
    Ok(tokio::time::timeout(Duration::from_secs(1), connected(&bus)).await.is_ok())
}

#[tokio::test]
async fn a_user_is_identified_by_its_nkey_and_both_sides_by_their_certificates()
-> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let authority = TestAuthority::new()?;
    let (server, client) = (authority.certify("127.0.0.1")?, authority.certify("notifier")?);
    let file = |name: &str, text: &str| write(folder.path(), name, text);
    let authorities = file("ca.pem", authority.pem())?;
    let tls = format!(
        "tls {{ cert_file: {:?}, key_file: {:?}, ca_file: {authorities:?}, verify: true }}\n",
        file("server.pem", &server.certificate)?,
        file("server.key", &server.key)?,
    );
    let pair = KeyPair::new_user();
    let users = accounts(|user| {
        let of_another = KeyPair::new_user().public_key();
        let key = if user == "notifier" { pair.public_key() } else { of_another };
        Credential::Nkey(format!("{key:?}"))
    });
    let mut nats = TestNats::with_access(tls + &users).await?;
    let url = format!("tls://127.0.0.1:{}", nats.server()?.port());

    let good = BusSecurity {
        nkey: Some(file("seed", &pair.seed()?)?),
        authorities: Some(authorities),
        certificate: Some((
            file("client.pem", &client.certificate)?,
            file("client.key", &client.key)?,
        )),
        ..BusSecurity::default()
    };
    connected(&connect(url.clone(), good.clone()).await?).await?;

    let stranger = file("stranger", &KeyPair::new_user().seed()?)?;
    assert!(!opens(&url, BusSecurity { nkey: Some(stranger), ..good.clone() }).await?);
    assert!(!opens(&url, BusSecurity { nkey: None, ..good.clone() }).await?);
    assert!(!opens(&url, BusSecurity { certificate: None, ..good.clone() }).await?);
    let other = file("other.pem", TestAuthority::new()?.pem())?;
    let distrusting = BusSecurity { authorities: Some(other), ..good.clone() };
    assert!(!opens(&url, distrusting.clone()).await?);

    let obstacle = async |security: &BusSecurity| {
        anyhow::Ok(connect(url.clone(), security.clone()).await?.find_obstacle().await)
    };
    let found = obstacle(&distrusting).await?.context("no obstacle was found")?;
    assert!(
        found.contains("its authority is not known here") && found.contains("NATS_CA"),
        "{found}"
    );
    assert_eq!(obstacle(&good).await?, None);
    Ok(())
}

#[tokio::test]
async fn a_server_without_tls_is_refused_where_an_authority_is_named() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let nats = TestNats::dedicated().await?;
    let authorities = Some(write(folder.path(), "ca.pem", TestAuthority::new()?.pem())?);
    connected(&connect(nats.url().to_owned(), BusSecurity::default()).await?).await?;
    assert!(!opens(nats.url(), BusSecurity { authorities, ..BusSecurity::default() }).await?);
    Ok(())
}
