//! A mail server, played: it offers STARTTLS, wants a password, and keeps what it receives.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use tarsy_testkit::TestCertificate;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::aws_lc_rs;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// `\0tarsy\0pa55word`.
const LOGIN: &str = "AUTH PLAIN AHRhcnN5AHBhNTV3b3Jk";

/// How the server takes the next mail, at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mood {
    Answers(&'static str),
    /// It keeps the mail, and never answers.
    HangsAfter,
}

#[derive(Default)]
struct Memory {
    mails: Vec<String>,
    moods: VecDeque<Mood>,
}

pub(crate) struct MailServer {
    pub(crate) port: u16,
    memory: Arc<Mutex<Memory>>,
    _tasks: JoinSet<()>,
}

impl MailServer {
    pub(crate) async fn start(certificate: &TestCertificate, moods: &[Mood]) -> Self {
        let chain = CertificateDer::from_pem_slice(certificate.certificate.as_bytes()).unwrap();
        let key = PrivateKeyDer::from_pem_slice(certificate.key.as_bytes()).unwrap();
        let config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![chain], key)
            .unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let moods = moods.iter().copied().collect();
        let memory = Arc::new(Mutex::new(Memory { moods, ..Memory::default() }));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let mut tasks = JoinSet::new();
        let kept = Arc::clone(&memory);
        tasks.spawn(async move {
            let mut open = JoinSet::new();
            while let Ok((client, _)) = listener.accept().await {
                open.spawn(serve(client, acceptor.clone(), Arc::clone(&kept)));
            }
        });
        Self { port, memory, _tasks: tasks }
    }

    pub(crate) fn mails(&self) -> Vec<String> {
        self.memory.lock().unwrap().mails.clone()
    }
}

/// Nothing but STARTTLS works before the connection is encrypted.
async fn serve(client: TcpStream, acceptor: TlsAcceptor, memory: Arc<Mutex<Memory>>) {
    let mut client = BufReader::new(client);
    answer(&mut client, "220 mail.example").await;
    loop {
        match line(&mut client).await.as_deref() {
            Some("STARTTLS") => break,
            Some(text) if text.starts_with("EHLO") => {
                answer(&mut client, "250-mail.example\r\n250 STARTTLS").await;
            }
            Some(_) => answer(&mut client, "530 Must issue a STARTTLS command first").await,
            None => return,
        }
    }
    answer(&mut client, "220 Go ahead").await;
    if let Ok(encrypted) = acceptor.accept(client.into_inner()).await {
        receive(BufReader::new(encrypted), &memory).await;
    }
}

async fn receive<S: AsyncRead + AsyncWrite + Unpin>(
    mut client: BufReader<S>,
    memory: &Mutex<Memory>,
) {
    let mut is_authorized = false;
    while let Some(command) = line(&mut client).await {
        let text = match command.as_str() {
            ehlo if ehlo.starts_with("EHLO") => {
                "250-mail.example\r\n250-8BITMIME\r\n250 AUTH PLAIN"
            }
            LOGIN => {
                is_authorized = true;
                "235 Accepted"
            }
            "QUIT" => "221 Bye",
            _ if !is_authorized => "535 Authentication failed",
            "DATA" => {
                answer(&mut client, "354 Go on").await;
                let mail = data(&mut client).await;
                match take(memory, mail) {
                    Some(text) => text,
                    None => std::future::pending().await,
                }
            }
            _ => "250 OK",
        };
        answer(&mut client, text).await;
    }
}

/// The answer to a mail; none if there is to be none.
fn take(memory: &Mutex<Memory>, mail: String) -> Option<&'static str> {
    let mut memory = memory.lock().unwrap();
    match memory.moods.pop_front() {
        Some(Mood::Answers(text)) => Some(text),
        Some(Mood::HangsAfter) => {
            memory.mails.push(mail);
            None
        }
        None => {
            memory.mails.push(mail);
            Some("250 Queued")
        }
    }
}

async fn data<S: AsyncRead + AsyncWrite + Unpin>(client: &mut BufReader<S>) -> String {
    let mut mail = String::new();
    while let Some(text) = line(client).await.filter(|text| text != ".") {
        mail.push_str(&text);
        mail.push('\n');
    }
    mail
}

async fn line<S: AsyncRead + AsyncWrite + Unpin>(client: &mut BufReader<S>) -> Option<String> {
    let mut text = String::new();
    let read = client.read_line(&mut text).await.ok()?;
    (read > 0).then(|| text.trim_end().to_owned())
}

async fn answer<S: AsyncRead + AsyncWrite + Unpin>(client: &mut BufReader<S>, text: &str) {
    let _ = client.write_all(format!("{text}\r\n").as_bytes()).await;
    let _ = client.flush().await;
}
