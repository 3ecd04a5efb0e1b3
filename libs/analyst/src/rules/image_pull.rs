//! Images that cannot be pulled.

use super::container::Container;
use super::pattern::{Pattern, both, event};
use crate::facts::Facts;
use crate::signal::Signal;
use crate::verdict::Category::ImagePull;

pub(super) const PATTERNS: &[Pattern] = &[
    event(
        ImagePull,
        94.0,
        "the image cannot be pulled: the pull secret `${name}` does not exist",
        r"unable to retrieve some image pull secrets \((?P<name>[^)]+)\)",
    ),
    event(
        ImagePull,
        93.0,
        "the image `${image}` cannot be pulled: the name of its registry cannot be resolved",
        r#"failed to pull(?: and unpack)? image "?(?P<image>[^\s"]+)"?:? .*(?:no such host|name resolution|server misbehaving)"#,
    ),
    event(
        ImagePull,
        92.5,
        "the image `${image}` cannot be pulled: its registry does not answer",
        r#"failed to pull(?: and unpack)? image "?(?P<image>[^\s"]+)"?:? .*(?:i/o timeout|connection refused|no route to host|deadline exceeded|awaiting headers|handshake timeout)"#,
    ),
    event(
        ImagePull,
        92.5,
        "the image `${image}` cannot be pulled: the certificate of its registry is not trusted",
        r#"failed to pull(?: and unpack)? image "?(?P<image>[^\s"]+)"?:? .*x509:"#,
    ),
    event(
        ImagePull,
        92.5,
        "the image `${image}` cannot be pulled: its registry limits the number of pulls",
        r#"failed to pull(?: and unpack)? image "?(?P<image>[^\s"]+)"?:? .*(?:toomanyrequests|rate limit|429)"#,
    ),
    event(
        ImagePull,
        92.5,
        "the image `${image}` cannot be pulled: it does not exist, or its registry demands credentials",
        r#"failed to pull(?: and unpack)? image "?(?P<image>[^\s"]+)"?:? .*does not exist or may require"#,
    ),
    event(
        ImagePull,
        92.5,
        "the image `${image}` cannot be pulled: its registry speaks plain HTTP, and the node asks for TLS",
        r#"failed to pull(?: and unpack)? image "?(?P<image>[^\s"]+)"?:? .*server gave http response to https client"#,
    ),
    event(
        ImagePull,
        92.5,
        "the image `${image}` cannot be pulled: the disk of the node is full",
        r#"failed to pull(?: and unpack)? image "?(?P<image>[^\s"]+)"?:? .*no space left on device"#,
    ),
    event(
        ImagePull,
        92.0,
        "the image `${image}` cannot be pulled: it does not exist",
        r#"failed to pull(?: and unpack)? image "?(?P<image>[^\s"]+)"?:? .*(?:not found|manifest unknown|does not exist|notfound|no such)"#,
    ),
    event(
        ImagePull,
        91.0,
        "the image `${image}` cannot be pulled: the registry refuses the credentials",
        r#"failed to pull(?: and unpack)? image "?(?P<image>[^\s"]+)"?:? .*(?:unauthorized|denied|forbidden|authentication|401|403)"#,
    ),
    event(
        ImagePull,
        90.0,
        "the image `${image}` cannot be pulled",
        r#"failed to pull(?: and unpack)? image "?(?P<image>[^\s"]+)"?"#,
    ),
    event(
        ImagePull,
        84.0,
        "the image `${image}` cannot be pulled",
        r#"back-?off pulling image "?(?P<image>[^\s"]+)"?"#,
    ),
    both(
        ImagePull,
        91.0,
        "the name of the image is invalid",
        r"invalidimagename|failed to apply default image tag|couldn't parse image",
    ),
    both(
        ImagePull,
        90.0,
        "the image has no variant for the architecture of the node",
        r"no match for platform in manifest|no matching manifest for",
    ),
    event(
        ImagePull,
        88.0,
        "the image is not on the node and may not be pulled",
        r"errimageneverpull|is not present with pull policy of never",
    ),
    event(ImagePull, 78.0, "an image cannot be pulled", r"errimagepull|imagepullbackoff"),
];

/// Pods and containers that wait for their image.
pub(super) fn find(facts: &Facts, found: &mut Vec<Signal>) {
    const STATES: &[&str] =
        &["ImagePullBackOff", "ErrImagePull", "InvalidImageName", "ErrImageNeverPull"];
    for pod in facts.of_kind("pod") {
        let waiting = Container::states(pod).into_iter().filter_map(|one| one.waiting());
        let state = pod.field("STATUS").into_iter().chain(waiting);
        let fits = |value: &str| STATES.iter().any(|state| value.ends_with(state));
        for field in state.filter(|field| fits(&field.value)) {
            let image =
                pod.fields_ending("image").next().or_else(|| pod.fields_ending("Image").next());
            let cause = match image {
                Some(image) => format!("the image `{}` cannot be pulled", image.value),
                None => "its image cannot be pulled".to_owned(),
            };
            let mut signal = Signal::of_record((ImagePull, 82.0), cause, facts, pod, field);
            if let Some(image) = image {
                signal = signal.with_quote(pod.quote(facts, image));
            }
            found.push(signal);
        }
    }
}
