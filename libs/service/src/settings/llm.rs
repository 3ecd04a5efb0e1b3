//! How a process reaches llm-service: `LLM_SERVICE_…`.

use std::path::PathBuf;

use tarsy_llm::Endpoint;

use super::reader::Reader;

/// Reads the address, the token and the certificates; a problem never contains the token.
pub(super) fn read(reader: &mut Reader<'_>) -> Endpoint {
    let path = |name: &str| reader.text(name).map(PathBuf::from);
    let (ca, cert, key) =
        (path("LLM_SERVICE_TLS_CA"), path("LLM_SERVICE_TLS_CERT"), path("LLM_SERVICE_TLS_KEY"));
    let addresses = addresses(&reader.text("LLM_SERVICE_ADDR").unwrap_or_default());
    if cert.is_some() != key.is_some() {
        reader.problem("set LLM_SERVICE_TLS_CERT and LLM_SERVICE_TLS_KEY together".to_owned());
    }
    let has_tls = |address: &String| address.starts_with("https://");
    if !addresses.iter().all(has_tls) && (ca.is_some() || cert.is_some()) {
        reader.problem(
            "LLM_SERVICE_TLS_CA and LLM_SERVICE_TLS_CERT need https:// in each address of LLM_SERVICE_ADDR"
                .to_owned(),
        );
    }
    Endpoint {
        addresses,
        token: reader.shared_secret("LLM_SERVICE_TOKEN"),
        ca,
        identity: cert.zip(key),
    }
}

/// The addresses of a list with commas between; one without a scheme is HTTP.
fn addresses(given: &str) -> Vec<String> {
    let given = given.split(',').map(str::trim).filter(|address| !address.is_empty());
    let given = given.map(|address| {
        let is_complete = address.contains("://") || address.starts_with("unix:");
        if is_complete { address.to_owned() } else { format!("http://{address}") }
    });
    let given: Vec<String> = given.collect();
    if given.is_empty() { vec!["http://127.0.0.1:50051".to_owned()] } else { given }
}

#[cfg(test)]
mod tests {
    use super::super::{Problems, Settings};
    use super::*;

    const TOKEN: &str = "0123456789abcdef0123456789abcdef";

    fn settings(pairs: &[(&str, &str)]) -> Result<Settings, Problems> {
        Settings::from_map(
            pairs.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect(),
        )
    }

    #[test]
    fn llm_service_is_reached_by_name_with_certificates_or_by_a_socket() {
        let plain = settings(&[("LLM_SERVICE_ADDR", "llm:50051")]).unwrap();
        assert_eq!(plain.llm_service, Endpoint::at("http://llm:50051"));
        let several = settings(&[("LLM_SERVICE_ADDR", "http://a:1, b:2,")]).unwrap();
        assert_eq!(several.llm_service.addresses, ["http://a:1", "http://b:2"]);
        let socket = settings(&[("LLM_SERVICE_ADDR", "unix:/run/llm.sock")]).unwrap();
        assert_eq!(socket.llm_service, Endpoint::at("unix:/run/llm.sock"));
        let tls = settings(&[
            ("LLM_SERVICE_ADDR", "https://llm:50051"),
            ("LLM_SERVICE_TLS_CA", "/ca.pem"),
            ("LLM_SERVICE_TLS_CERT", "/own.pem"),
            ("LLM_SERVICE_TLS_KEY", "/own.key"),
        ])
        .unwrap();
        assert_eq!(tls.llm_service.identity, Some(("/own.pem".into(), "/own.key".into())));
    }

    #[test]
    fn half_a_protection_is_named_and_a_token_is_never_printed() {
        for (pairs, named) in [
            (&[("LLM_SERVICE_TOKEN", &TOKEN[1..])][..], "openssl rand"),
            (&[("LLM_SERVICE_TOKEN", TOKEN), ("LLM_SERVICE_TOKEN_FILE", "/x")], "both set"),
            (&[("LLM_SERVICE_TOKEN_FILE", "/nowhere")], "/nowhere"),
            (&[("LLM_SERVICE_TOKEN_FILE", "/dev/null")], "openssl rand"),
            (&[("LLM_SERVICE_TLS_CERT", "/own.pem")], "together"),
            (&[("LLM_SERVICE_TLS_CA", "/ca.pem")], "https://"),
            (&[("LLM_SERVICE_TLS_CA", "/c"), ("LLM_SERVICE_ADDR", "https://a:1,b:2")], "https://"),
        ] {
            let problems = settings(pairs).unwrap_err().to_string();
            assert!(problems.contains(named) && !problems.contains(&TOKEN[1..]), "{problems}");
        }
        let read = settings(&[("LLM_SERVICE_TOKEN", TOKEN)]).unwrap();
        assert_eq!(read.llm_service.token.as_deref(), Some(TOKEN));
        assert!(!format!("{read:?}").contains(TOKEN));
    }
}
