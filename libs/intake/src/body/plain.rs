//! The bytes of a body without the encoding in which they were sent.

use std::borrow::Cow;
use std::io::Read;

use flate2::read::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use http::HeaderMap;
use http::header::CONTENT_ENCODING;

use super::illegible::Illegible;
use crate::limits::MAX_OPENED;
/// How bytes begin that gzip wrote.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The bytes as their sender wrote them, before it encoded them.
pub(crate) fn plain<'a>(headers: &HeaderMap, body: &'a [u8]) -> Result<Cow<'a, [u8]>, Illegible> {
    let named = headers.get(CONTENT_ENCODING).and_then(|value| value.to_str().ok());
    let encoding = named.unwrap_or_default().trim().to_ascii_lowercase();
    let is_gzip = body.starts_with(&GZIP);
    match encoding.as_str() {
        // Some proxies open a body and leave the header.
        "gzip" | "x-gzip" if !is_gzip => Ok(Cow::Borrowed(body)),
        "" | "identity" | "gzip" | "x-gzip" if is_gzip => {
            opened(MultiGzDecoder::new(body)).map(Cow::Owned)
        }
        "" | "identity" | "utf-8" | "aws-chunked" => Ok(Cow::Borrowed(body)),
        "deflate" if body.starts_with(b"{") || body.starts_with(b"[") => Ok(Cow::Borrowed(body)),
        "deflate" => opened(ZlibDecoder::new(body))
            .or_else(|_| opened(DeflateDecoder::new(body)))
            .map(Cow::Owned),
        other => Err(Illegible::Encoding(other.chars().take(40).collect())),
    }
}

/// Reads to the end: what is small may be large once it is open.
fn opened(reader: impl Read) -> Result<Vec<u8>, Illegible> {
    let mut bytes = Vec::new();
    let most = MAX_OPENED as u64 + 1;
    reader.take(most).read_to_end(&mut bytes).map_err(|_| Illegible::Broken)?;
    if bytes.len() > MAX_OPENED { Err(Illegible::TooLong) } else { Ok(bytes) }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
    use http::HeaderValue;

    use super::*;

    fn of(encoding: &'static str) -> HeaderMap {
        [(CONTENT_ENCODING, HeaderValue::from_static(encoding))].into_iter().collect()
    }

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn a_body_is_opened_whatever_its_header() {
        let text = b"{\"a\": 1}";
        let mut raw = DeflateEncoder::new(Vec::new(), Compression::fast());
        raw.write_all(text).unwrap();
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::fast());
        zlib.write_all(text).unwrap();
        for (encoding, body) in [
            ("gzip", gzip(text)),
            ("", gzip(text)),
            ("gzip", text.to_vec()),
            ("deflate", zlib.finish().unwrap()),
            ("deflate", raw.finish().unwrap()),
            ("identity", text.to_vec()),
        ] {
            assert_eq!(plain(&of(encoding), &body).unwrap().as_ref(), text, "{encoding}");
        }
    }

    #[test]
    fn what_cannot_be_opened_or_is_too_long_is_an_error() {
        let error = |encoding, body: &[u8]| plain(&of(encoding), body).unwrap_err();
        assert_eq!(error("zstd", b"x"), Illegible::Encoding("zstd".to_owned()));
        assert_eq!(error("gzip", &[0x1f, 0x8b, 7]), Illegible::Broken);
        assert_eq!(error("gzip", &gzip(&vec![b' '; MAX_OPENED + 1])), Illegible::TooLong);
    }
}
