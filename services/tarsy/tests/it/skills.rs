use std::path::Path;
use std::process::Output;

use async_compression::tokio::write::GzipEncoder;
use axum::Router;
use axum::http::{HeaderMap, StatusCode, Uri};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpListener;
use tokio_tar::{Builder, Header};

const COMMIT: &str = "a4d0e9cc61d23f0c1cb4d5a1ef6a2f4e0a7e3b21";

fn skill(name: &str) -> String {
    format!("---\nname: {name}\ndescription: Of the repository.\n---\nLook.\n")
}

/// An archive as servers make them, with a folder around all.
async fn archive() -> Vec<u8> {
    let mut builder = Builder::new(GzipEncoder::new(Vec::new()));
    for (path, text) in [
        ("sre-a4d0e9c/README.md", "Skills.".to_owned()),
        ("sre-a4d0e9c/skills/queues/SKILL.md", skill("queues")),
        ("sre-a4d0e9c/skills/queues/references/more.md", "More.".to_owned()),
        ("sre-a4d0e9c/skills/team/payments/SKILL.md", skill("payments")),
    ] {
        let mut header = Header::new_gnu();
        header.set_size(u64::try_from(text.len()).unwrap());
        header.set_mode(0o644);
        header.set_cksum();
        builder.append_data(&mut header, path, text.as_bytes()).await.unwrap();
    }
    let mut encoder = builder.into_inner().await.unwrap();
    encoder.shutdown().await.unwrap();
    encoder.into_inner()
}

/// A server of repositories that wants a token.
#[expect(clippy::disallowed_methods, reason = "a test has no service to wait for its tasks")]
async fn serve() -> String {
    let archive = archive().await;
    let answer = async move |uri: Uri, headers: HeaderMap| {
        let is_known = uri.path() == format!("/acme/sre/archive/{COMMIT}.tar.gz");
        let may = headers.get("authorization").is_some_and(|value| value == "Bearer s3cret");
        match (is_known, may) {
            (true, true) => (StatusCode::OK, archive.clone()),
            _ => (StatusCode::NOT_FOUND, Vec::new()),
        }
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, Router::new().fallback(answer)).await });
    address
}

async fn tarsy(arguments: &[&str], token: &str) -> Output {
    let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_tarsy"));
    command.args(arguments).env("TARSY_SKILLS_TOKEN", token).kill_on_drop(true);
    command.output().await.unwrap()
}

async fn pulled(repository: &str, folder: &Path, token: &str) -> Output {
    let dir = folder.to_str().unwrap();
    tarsy(&["skills", "pull", repository, "--commit", COMMIT, "--dir", dir, "--json"], token).await
}

#[tokio::test]
async fn skills_of_a_repository_become_skills_of_the_configuration() {
    let folder = tempfile::tempdir().unwrap();
    let repository = format!("{}/acme/sre", serve().await);
    let refused = pulled(&repository, folder.path(), "").await;
    let words = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && words.contains("set TARSY_SKILLS_TOKEN"), "{words}");
    for outcome in ["new", "unchanged"] {
        let output = pulled(&repository, folder.path(), "s3cret").await;
        let done: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(done["skills"], json!({"payments": outcome, "queues": outcome}), "{output:?}");
    }
    let dir = folder.path().to_str().unwrap();
    let checked = tarsy(&["config", "check", "--dir", dir, "--json"], "").await;
    let checked: Value = serde_json::from_slice(&checked.stdout).unwrap();
    let skills = checked["skills"].to_string();
    assert!(
        checked["valid"] == true && skills.contains("payments") && skills.contains("queues"),
        "{checked}"
    );
    assert_eq!(checked["warnings"], json!([]), "{checked}");
}
