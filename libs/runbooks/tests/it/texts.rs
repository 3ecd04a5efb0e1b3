//! What is fetched: from a server, from GitHub's listing, from a folder.

use std::fs;
use std::os::unix::fs::symlink;
use std::time::Duration;

use tarsy_runbooks::{Error, Rules};

use crate::server::{Answer, Server, ok, redirect, response, rules, runbooks};

#[tokio::test]
async fn a_text_is_fetched_once_while_it_is_fresh() {
    let server =
        Server::start([("/a.md", ok("\u{feff}# Disk full\n")), ("/old", redirect("/a.md"))]).await;
    let cached = runbooks(rules());
    assert_eq!(cached.fetch(&server.named("/a.md")).await.unwrap(), "# Disk full\n");
    assert_eq!(cached.fetch(&server.named("/a.md")).await.unwrap(), "# Disk full\n");
    assert_eq!(server.asked(), ["GET /a.md HTTP/1.1"]);
    let stale = runbooks(Rules { cache_ttl: Duration::ZERO, ..rules() });
    assert_eq!(stale.fetch(&server.named("/old")).await.unwrap(), "# Disk full\n");
    assert_eq!(server.asked()[1..], ["GET /old HTTP/1.1", "GET /a.md HTTP/1.1"]);
}

fn listing(json: &str) -> Answer {
    Answer::Bytes(response("200 OK", "content-type: application/json\r\n", json.as_bytes()))
}

#[tokio::test]
async fn the_runbooks_of_a_repository_are_listed_with_those_of_its_folders() {
    let at = "/repos/org/repo/contents/runbooks";
    let (root, below) = (format!("{at}?ref=main"), format!("{at}/db?ref=main"));
    let page = "https://github.com/org/repo/blob/main/runbooks";
    let server = Server::start([
        (
            root.as_str(),
            listing(&format!(
                r#"[{{"type":"file","path":"runbooks/disk.md","html_url":"{page}/disk.md"}},
                    {{"type":"file","path":"runbooks/logo.png","html_url":"{page}/logo.png"}},
                    {{"type":"file","path":"runbooks/odd.md","html_url":"javascript:alert(1)"}},
                    {{"type":"dir","path":"runbooks/db","html_url":null}}]"#
            )),
        ),
        (
            below.as_str(),
            listing(&format!(
                r#"[{{"type":"file","path":"runbooks/db/OOM.MD","html_url":"{page}/db/OOM.MD"}}]"#
            )),
        ),
    ])
    .await;
    let rules = Rules {
        repo_url: Some("https://github.com/org/repo/tree/main/runbooks".parse().unwrap()),
        github_api: server.named(""),
        ..rules()
    };
    let listed = runbooks(rules).list().await;
    assert_eq!(listed, [format!("{page}/db/OOM.MD"), format!("{page}/disk.md")]);
}

#[tokio::test]
async fn what_cannot_be_listed_leaves_the_list_without_it() {
    let server = Server::start([]).await;
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.md"), "a").unwrap();
    let rules = Rules {
        repo_url: Some("https://github.com/org/repo".parse().unwrap()),
        github_api: server.named(""),
        folder: Some(folder.path().to_owned()),
        ..rules()
    };
    assert_eq!(runbooks(rules).list().await, ["file:///a.md"]);
    assert_eq!(server.asked(), ["GET /repos/org/repo/contents HTTP/1.1"]);
}

#[tokio::test]
async fn a_folder_gives_its_own_files_and_no_others() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("runbooks");
    fs::create_dir_all(folder.join("db")).unwrap();
    fs::create_dir_all(folder.join(".git")).unwrap();
    fs::write(place.path().join("secret.md"), "a secret").unwrap();
    fs::write(folder.join(".git/config.md"), "a secret").unwrap();
    fs::write(folder.join("disk full.md"), "# Disk").unwrap();
    fs::write(folder.join("db/oom.md"), "# OOM").unwrap();
    fs::write(folder.join("huge.md"), vec![b'x'; 1024 * 1024 + 1]).unwrap();
    symlink(place.path().join("secret.md"), folder.join("escape.md")).unwrap();
    symlink("db/oom.md", folder.join("link.md")).unwrap();
    symlink(place.path(), folder.join("up")).unwrap();

    let runbooks = runbooks(Rules { folder: Some(folder.clone()), ..rules() });
    assert_eq!(
        runbooks.list().await,
        ["file:///db/oom.md", "file:///disk%20full.md", "file:///huge.md", "file:///link.md"]
    );
    assert_eq!(runbooks.fetch("file:///disk%20full.md").await.unwrap(), "# Disk");
    assert_eq!(runbooks.fetch("file:///link.md").await.unwrap(), "# OOM");
    let absolute = format!("file://{}/db/oom.md", folder.display());
    assert_eq!(runbooks.fetch(&absolute).await.unwrap(), "# OOM");
    for outside in [
        "file:///escape.md",
        "file:///up/secret.md",
        "file:///..%2fsecret.md",
        "file:///.git/config.md",
    ] {
        let error = runbooks.fetch(outside).await.unwrap_err();
        assert!(matches!(error, Error::Outside), "{outside}: {error}");
    }
    for missing in ["file:///../secret.md", "file:///etc/passwd", "file:///db"] {
        let error = runbooks.fetch(missing).await.unwrap_err();
        assert!(matches!(error, Error::NoSuchFile), "{missing}: {error}");
    }
    let error = runbooks.fetch("file:///huge.md").await.unwrap_err();
    assert!(matches!(error, Error::TooLarge { .. }), "{error}");
}
