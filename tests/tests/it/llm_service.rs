//! Who may call llm-service, and what the processes that TARSy starts know of its environment.

use std::fs;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::PathBuf;
use std::time::Duration;

use futures::StreamExt as _;
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
};
use tarsy_domain::event::Role;
use tarsy_domain::id::SessionId;
use tarsy_embedded::{Child, Spec, free_port};
use tarsy_llm::{Config, Endpoint, Error, GrpcLlm, Llm as _, Message, Request};
use tarsy_testkit::eventually;
use tempfile::TempDir;

const TOKEN: &str = "0123456789abcdef0123456789abcdef";

/// How many providers it reports.
async fn listed(endpoint: &Endpoint) -> Result<usize, Error> {
    Ok(GrpcLlm::new(endpoint)?.list_providers().await?.len())
}

/// Starts one turn of this provider.
async fn turn(endpoint: &Endpoint, provider: &str) -> Result<usize, Error> {
    let request = Request {
        session_id: SessionId::new(),
        execution_id: None,
        messages: vec![Message::new(Role::User, "hello")],
        tools: Vec::new(),
        response_format: None,
        config: Config { provider: provider.to_owned(), ..Config::default() },
        max_output_tokens: None,
        deadline: Duration::from_mins(1),
    };
    let mut chunks = GrpcLlm::new(endpoint)?.generate(request).await?;
    let mut count = 0;
    while let Some(chunk) = chunks.next().await {
        chunk?;
        count += 1;
    }
    Ok(count)
}

/// llm-service as a process with these variables; it listens once a request is answered or refused.
async fn llm_service(env: &[(&str, String)], reached_at: &Endpoint) -> anyhow::Result<Child> {
    let workspace = tarsy_testkit::workspace();
    let source = ("PYTHONPATH", workspace.join("llm-service/src").display().to_string());
    let workers = ("LLM_SERVICE_WORKERS", "1".to_owned());
    let env = env.iter().chain([&source, &workers]);
    let child = Child::start(&Spec {
        program: workspace.join(".tarsy/venv-llm/bin/python"),
        args: vec!["-m".to_owned(), "llm_service.main".to_owned()],
        env: env.map(|(name, value)| ((*name).to_owned(), value.clone())).collect(),
        log: "/dev/null".into(),
        user: None,
        remove: None,
    })
    .await?;
    eventually("llm-service listens", async || {
        !matches!(listed(reached_at).await, Err(Error::Transport(_)))
    })
    .await;
    Ok(child)
}

fn refused(answer: Result<usize, Error>, with: &str) {
    let error = answer.err();
    let is_final = error.as_ref().is_some_and(|error| !error.is_retryable());
    let text = error.map(|error| error.to_string()).unwrap_or_default();
    assert!(is_final && text.contains(with), "{text:?}");
}

#[tokio::test]
async fn a_caller_needs_the_token_and_a_provider_of_the_configuration() -> anyhow::Result<()> {
    let port = free_port()?;
    let open = Endpoint::at(format!("http://127.0.0.1:{port}"));
    let known = Endpoint { token: Some(TOKEN.to_owned()), ..open.clone() };
    let wrong = Endpoint { token: Some(TOKEN.replace('0', "1")), ..open.clone() };
    let env = [
        ("LLM_SERVICE_ADDR", format!("127.0.0.1:{port}")),
        ("LLM_SERVICE_TOKEN", TOKEN.to_owned()),
    ];
    let child = llm_service(&env, &known).await?;
    assert!(listed(&known).await? > 0);
    refused(listed(&open).await, "LLM_SERVICE_TOKEN");
    refused(listed(&wrong).await, "LLM_SERVICE_TOKEN");
    refused(turn(&known, "somebody").await, "TARSY_CONFIG_DIR");
    refused(turn(&known, "offline").await, "answers in the services themselves");
    child.stop(Duration::from_secs(10)).await;
    Ok(())
}

#[tokio::test]
async fn a_caller_reaches_the_socket_of_a_private_folder() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let private = folder.path().join("run");
    fs::DirBuilder::new().mode(0o700).create(&private)?;
    let socket = private.join("llm.sock");
    let endpoint = Endpoint::at(format!("unix:{}", socket.display()));
    let env = [("LLM_SERVICE_ADDR", endpoint.addresses.join(","))];
    let child = llm_service(&env, &endpoint).await?;
    assert!(listed(&endpoint).await? > 0);
    assert_eq!(fs::metadata(&socket)?.permissions().mode() & 0o777, 0o600);
    child.stop(Duration::from_secs(10)).await;
    Ok(())
}

/// An authority and the certificates that it signs, as files.
struct Authority {
    folder: TempDir,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    fn new(name: &str) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let mut authority = named(name, Vec::new())?;
        authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate()?;
        fs::write(folder.path().join("ca.pem"), authority.self_signed(&key)?.pem())?;
        Ok(Self { folder, issuer: Issuer::new(authority, key) })
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("ca.pem")
    }

    fn issue(&self, name: &str) -> anyhow::Result<(PathBuf, PathBuf)> {
        let key = KeyPair::generate()?;
        let mut certificate = named(name, vec![name.to_owned()])?;
        certificate.extended_key_usages =
            vec![ExtendedKeyUsagePurpose::ServerAuth, ExtendedKeyUsagePurpose::ClientAuth];
        let certificate = certificate.signed_by(&key, &self.issuer)?;
        let paths = ["pem", "key"].map(|kind| self.folder.path().join(format!("{name}.{kind}")));
        fs::write(&paths[0], certificate.pem())?;
        fs::write(&paths[1], key.serialize_pem())?;
        let [certificate, key] = paths;
        Ok((certificate, key))
    }
}

/// A certificate to be: one with the name of its authority would count as signed by itself.
fn named(name: &str, hosts: Vec<String>) -> Result<CertificateParams, rcgen::Error> {
    let mut certificate = CertificateParams::new(hosts)?;
    certificate.distinguished_name.push(DnType::CommonName, name);
    Ok(certificate)
}

#[tokio::test]
async fn with_an_authority_both_sides_need_its_certificates() -> anyhow::Result<()> {
    let (ours, other) = (Authority::new("ours")?, Authority::new("other")?);
    let port = free_port()?;
    let (certificate, key) = ours.issue("localhost")?;
    let stranger =
        Endpoint { ca: Some(ours.path()), ..Endpoint::at(format!("https://localhost:{port}")) };
    let known = Endpoint { identity: Some(ours.issue("orchestrator")?), ..stranger.clone() };
    let forged = Endpoint { identity: Some(other.issue("orchestrator")?), ..stranger.clone() };
    let distrustful = Endpoint { ca: Some(other.path()), ..known.clone() };
    let env = [
        ("LLM_SERVICE_ADDR", format!("127.0.0.1:{port}")),
        ("LLM_SERVICE_TLS_CERT", certificate.display().to_string()),
        ("LLM_SERVICE_TLS_KEY", key.display().to_string()),
        ("LLM_SERVICE_TLS_CA", ours.path().display().to_string()),
    ];
    let child = llm_service(&env, &known).await?;
    assert!(listed(&known).await? > 0);
    for endpoint in [stranger, forged, distrustful] {
        let answer = listed(&endpoint).await;
        assert!(
            matches!(&answer, Err(Error::Transport(text)) if text.contains("LLM_SERVICE_TLS_CERT")),
            "{answer:?}"
        );
    }
    child.stop(Duration::from_secs(10)).await;
    Ok(())
}
