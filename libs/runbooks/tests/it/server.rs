//! A server that answers as each test needs it, down to the bytes.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::Mutex;
use std::time::Duration;

use tarsy_catalog::{Catalog, Env};
use tarsy_runbooks::{Rules, Runbooks};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

/// What a path is answered with.
#[derive(Clone)]
pub(crate) enum Answer {
    /// Head and body, as they are.
    Bytes(Vec<u8>),
    /// The head, then a body without end.
    Endless(&'static str),
    /// The head, and then nothing more.
    Stalled(&'static str),
    /// This text for requests with a token, 404 for others.
    Private(&'static str),
}

pub(crate) struct Server {
    pub(crate) port: u16,
    asked: Arc<Mutex<Vec<String>>>,
    _tasks: JoinSet<()>,
}

impl Server {
    pub(crate) async fn start(answers: impl IntoIterator<Item = (&str, Answer)>) -> Self {
        let answers: BTreeMap<String, Answer> =
            answers.into_iter().map(|(path, answer)| (path.to_owned(), answer)).collect();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let mut tasks = JoinSet::new();
        let noted = Arc::clone(&asked);
        tasks.spawn(async move {
            let mut open = JoinSet::new();
            loop {
                let (socket, _) = listener.accept().await.unwrap();
                open.spawn(serve(socket, answers.clone(), Arc::clone(&noted)));
            }
        });
        Self { port, asked, _tasks: tasks }
    }

    /// The first lines of all requests.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }

    /// An address of this server by its name, which the rules may let in.
    pub(crate) fn named(&self, path: &str) -> String {
        format!("http://localhost:{}{path}", self.port)
    }

    /// The same by its number, which is never in the rules.
    pub(crate) fn numbered(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }
}

async fn serve(
    socket: TcpStream,
    answers: BTreeMap<String, Answer>,
    asked: Arc<Mutex<Vec<String>>>,
) {
    let mut socket = BufReader::new(socket);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if socket.read_line(&mut head).await.unwrap_or(0) == 0 {
            return;
        }
    }
    let line = head.lines().next().unwrap_or_default().to_owned();
    let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
    asked.lock().unwrap().push(line);
    let missing = response("404 Not Found", "", b"no");
    let has_token = head.to_ascii_lowercase().contains("\r\nauthorization: bearer ");
    let private = |text: &str| response("200 OK", "", text.as_bytes());
    // The client may go away whenever it has seen enough.
    let _ = match answers.get(&path).unwrap_or(&Answer::Bytes(missing.clone())) {
        Answer::Private(text) if has_token => socket.write_all(&private(text)).await,
        Answer::Private(_) => socket.write_all(&missing).await,
        Answer::Bytes(bytes) => socket.write_all(bytes).await,
        Answer::Endless(head) => endless(&mut socket, head).await,
        Answer::Stalled(head) => {
            let sent = socket.write_all(head.as_bytes()).await;
            std::future::pending::<()>().await;
            sent
        }
    };
}

async fn endless(socket: &mut BufReader<TcpStream>, head: &str) -> std::io::Result<()> {
    socket.write_all(head.as_bytes()).await?;
    let chunk = [b"10000\r\n".as_slice(), &vec![b'x'; 0x10000], b"\r\n"].concat();
    loop {
        socket.write_all(&chunk).await?;
    }
}

pub(crate) fn response(status: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n{headers}\r\n"
    );
    [head.as_bytes(), body].concat()
}

pub(crate) fn ok(body: &str) -> Answer {
    Answer::Bytes(response("200 OK", "content-type: text/plain\r\n", body.as_bytes()))
}

pub(crate) fn redirect(to: &str) -> Answer {
    Answer::Bytes(response("302 Found", &format!("location: {to}\r\n"), b""))
}

/// Any public host is allowed, and this machine by its name.
pub(crate) fn rules() -> Rules {
    let catalog = Catalog::builtin(&Env::empty()).unwrap();
    Rules {
        allowed_domains: Vec::new(),
        private_domains: vec!["localhost".to_owned()],
        deadline: Duration::from_secs(30),
        ..Rules::new(&catalog.system, None)
    }
}

pub(crate) fn runbooks(rules: Rules) -> Runbooks {
    Runbooks::new(rules).unwrap()
}
