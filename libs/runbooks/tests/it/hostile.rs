//! What must never be fetched, and is refused with its reason.

use std::time::Duration;

use tarsy_runbooks::{Error, Rules};

use crate::server::{Answer, Server, ok, redirect, response, rules, runbooks};

#[tokio::test]
async fn addresses_inside_and_odd_ones_are_refused_without_a_connection() {
    let server = Server::start([("/", ok("a secret of this machine"))]).await;
    // Every host at a public address is allowed here: only the address is what refuses.
    let runbooks = runbooks(Rules { private_domains: Vec::new(), ..rules() });
    let port = server.port;
    let hostile = [
        (format!("http://127.0.0.1:{port}/"), "not public"),
        (format!("http://localhost:{port}/"), "not public"),
        (format!("http://2130706433:{port}/"), "not public"),
        (format!("http://0x7f000001:{port}/"), "not public"),
        (format!("http://0177.1:{port}/"), "not public"),
        (format!("http://[::1]:{port}/"), "not public"),
        (format!("http://[::ffff:127.0.0.1]:{port}/"), "not public"),
        (format!("http://[64:ff9b::7f00:1]:{port}/"), "not public"),
        (format!("http://0.0.0.0:{port}/"), "not public"),
        ("http://10.0.0.1/".to_owned(), "not public"),
        ("http://192.168.1.1/".to_owned(), "not public"),
        ("http://169.254.169.254/latest/meta-data/".to_owned(), "not public"),
        ("http://[fd00:ec2::254]/latest/meta-data/".to_owned(), "not public"),
        (format!("https://github.com@127.0.0.1:{port}/"), "user name"),
        (format!("https://github.com:pass@127.0.0.1:{port}/"), "user name"),
        ("file:///etc/passwd".to_owned(), "use https"),
        ("gopher://127.0.0.1/_x".to_owned(), "use https"),
        ("ftp://github.com/a.md".to_owned(), "use https"),
        ("data:text/plain,hello".to_owned(), "use https"),
        ("javascript:alert(1)".to_owned(), "use https"),
        ("//127.0.0.1/a".to_owned(), "is not a URL"),
        ("http://".to_owned(), "is not a URL"),
    ];
    for (url, reason) in hostile {
        let error = runbooks.fetch(&url).await.unwrap_err().to_string();
        assert!(error.contains(reason), "{url}: {error}");
    }
    assert_eq!(server.asked(), Vec::<String>::new());
}

#[tokio::test]
async fn a_private_host_never_leads_to_a_metadata_service() {
    let rules = Rules { private_domains: vec!["169.254.169.254".to_owned()], ..rules() };
    let error = runbooks(rules).fetch("http://169.254.169.254/latest").await.unwrap_err();
    assert!(matches!(error, Error::Private { .. }), "{error}");
}

#[tokio::test]
async fn a_redirect_is_looked_at_like_an_address() {
    let inner = Server::start([("/secret", ok("a secret of this machine"))]).await;
    let server = Server::start([
        ("/number", redirect(&inner.numbered("/secret"))),
        ("/metadata", redirect("http://169.254.169.254/latest/meta-data/")),
        ("/mapped", redirect(&format!("http://[::ffff:7f00:1]:{}/secret", inner.port))),
        ("/scheme", redirect("file:///etc/passwd")),
        ("/user", redirect(&format!("http://a:b@localhost:{}/secret", inner.port))),
        ("/nowhere", Answer::Bytes(response("302 Found", "", b""))),
        ("/round", redirect("/round")),
    ])
    .await;
    let runbooks = runbooks(rules());
    for (path, reason) in [
        ("/number", "not public"),
        ("/metadata", "not public"),
        ("/mapped", "not public"),
        ("/scheme", "use https"),
        ("/user", "user name"),
        ("/nowhere", "redirects to nowhere"),
        ("/round", "redirects too often"),
    ] {
        let error = runbooks.fetch(&server.named(path)).await.unwrap_err().to_string();
        assert!(error.contains(reason), "{path}: {error}");
    }
    assert_eq!(inner.asked(), Vec::<String>::new());
}

#[tokio::test]
async fn a_redirect_to_a_host_that_was_not_named_is_refused() {
    let other = Server::start([("/", ok("elsewhere"))]).await;
    let server = Server::start([("/", redirect(&other.numbered("/")))]).await;
    let rules = Rules { allowed_domains: vec!["github.com".to_owned()], ..rules() };
    let error = runbooks(rules).fetch(&server.named("/")).await.unwrap_err().to_string();
    assert!(error.contains("127.0.0.1, which is not allowed"), "{error}");
    assert!(error.contains("github.com, localhost"), "{error}");
    assert_eq!(other.asked(), Vec::<String>::new());
}

#[tokio::test]
async fn a_body_without_measure_is_cut_off() {
    let packed = "content-encoding: gzip\r\n";
    let server = Server::start([
        ("/declared", Answer::Stalled("HTTP/1.1 200 OK\r\ncontent-length: 99999999999\r\n\r\n")),
        ("/endless", Answer::Endless("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")),
        // A bomb: what is small here is a gigabyte when it is unpacked.
        ("/bomb", Answer::Bytes(response("200 OK", packed, &[0x1f, 0x8b, 8, 0, 0, 0, 0, 0]))),
        ("/binary", Answer::Bytes(response("200 OK", "", &[0xff, 0xfe, 0x00, 0xd8]))),
        ("/nul", ok("a\0b")),
    ])
    .await;
    let runbooks = runbooks(rules());
    for (path, reason) in [
        ("/declared", "larger than 1048576 bytes"),
        ("/endless", "larger than 1048576 bytes"),
        ("/bomb", "packed as gzip"),
        ("/binary", "is not text"),
        ("/nul", "is not text"),
        ("/missing", "answered 404"),
    ] {
        let error = runbooks.fetch(&server.named(path)).await.unwrap_err().to_string();
        assert!(error.contains(reason), "{path}: {error}");
    }
}

#[tokio::test]
async fn a_slow_answer_is_waited_for_only_so_long() {
    let server = Server::start([
        ("/head", Answer::Stalled("HTTP/1.1 200 OK\r\n")),
        ("/body", Answer::Stalled("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nbegun")),
    ])
    .await;
    let runbooks = runbooks(Rules { deadline: Duration::from_secs(1), ..rules() });
    for path in ["/head", "/body"] {
        let error = runbooks.fetch(&server.named(path)).await.unwrap_err();
        assert!(matches!(error, Error::Timeout { seconds: 1 }), "{path}: {error}");
    }
}

#[tokio::test]
async fn a_host_that_does_not_exist_or_answer_is_reported() {
    let rules = rules();
    // Too long a label for any resolver: no server of names is asked, which might be away.
    let nowhere = format!("http://{}.invalid/a", "a".repeat(64));
    let error = runbooks(rules.clone()).fetch(&nowhere).await.unwrap_err();
    assert!(matches!(error, Error::Unresolved { .. }), "{error}");
    // Taken, so that nobody else gets it, and not listened on.
    let taken = tokio::net::TcpSocket::new_v4().unwrap();
    taken.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let port = taken.local_addr().unwrap().port();
    let address = format!("http://localhost:{port}/a?token=s3cret");
    let error = runbooks(rules).fetch(&address).await.unwrap_err();
    assert!(matches!(error, Error::Unreachable { .. }), "{error}");
    assert!(!format!("{error:?}").contains("s3cret"), "{error:?}");
}

#[tokio::test]
async fn a_runbook_of_a_private_repository_is_fetched_only_if_the_repository_is_listed() {
    let server = Server::start([
        ("/org/runbooks/main/disk.md", Answer::Private("# Disk full")),
        ("/org/runbooks/main/moved.md", redirect("/org/payroll/main/salaries.md")),
        ("/org/payroll/main/salaries.md", Answer::Private("anna 1000")),
        ("/org/runbooks/main/api.md", redirect("/repos/org/payroll/contents/salaries.md")),
        ("/repos/org/payroll/contents/salaries.md", Answer::Private("anna 1000")),
    ])
    .await;
    let runbooks = runbooks(Rules {
        github_raw: server.named(""),
        github_api: server.named(""),
        token: Some("ghp_secret".to_owned().into()),
        token_repositories: vec!["org/runbooks".to_owned()],
        ..rules()
    });
    let fetch = async |path: &str| runbooks.fetch(&format!("https://github.com/org/{path}")).await;
    assert_eq!(fetch("runbooks/blob/main/disk.md").await.unwrap(), "# Disk full");
    for private in [
        "payroll/blob/main/salaries.md",
        "runbooks/blob/main/moved.md",
        "runbooks/blob/main/api.md",
    ] {
        let error = fetch(private).await.unwrap_err();
        assert!(matches!(error, Error::Status { status: 404 }), "{private}: {error}");
    }
}
