//! Where a test's server comes from.

/// Whether Docker can run a server.
#[cfg_attr(
    not(any(test, feature = "containers")),
    expect(dead_code, reason = "only a build with containers looks for an engine")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ContainerEngine {
    /// This build has no feature `containers`.
    NotCompiled,
    /// No engine answered.
    Absent,
    Ready,
}

/// What a test is given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ServerSource {
    /// A server that already runs.
    Url(String),
    Container,
    Embedded,
}

/// A URL comes first, then Docker, then the embedded program.
pub(crate) fn choose(url: Option<String>, engine: ContainerEngine) -> ServerSource {
    match (url, engine) {
        (Some(url), _) => ServerSource::Url(url),
        (None, ContainerEngine::Ready) => ServerSource::Container,
        (None, ContainerEngine::Absent | ContainerEngine::NotCompiled) => ServerSource::Embedded,
    }
}

/// The source of the server whose URL this environment variable may hold.
pub(crate) async fn source(variable: &str) -> ServerSource {
    match crate::variable(variable) {
        Some(url) => choose(Some(url), ContainerEngine::NotCompiled),
        None => choose(None, engine().await),
    }
}

#[cfg(feature = "containers")]
async fn engine() -> ContainerEngine {
    if Box::pin(crate::containers::is_engine_ready()).await {
        ContainerEngine::Ready
    } else {
        ContainerEngine::Absent
    }
}

#[cfg(not(feature = "containers"))]
async fn engine() -> ContainerEngine {
    std::future::ready(ContainerEngine::NotCompiled).await
}

#[cfg(test)]
mod tests {
    use super::*;

    const URL: &str = "postgres://tests@db/postgres";

    #[test]
    fn a_url_is_used_whatever_docker_does() {
        for engine in
            [ContainerEngine::NotCompiled, ContainerEngine::Absent, ContainerEngine::Ready]
        {
            assert_eq!(choose(Some(URL.to_owned()), engine), ServerSource::Url(URL.to_owned()));
        }
    }

    #[test]
    fn without_a_url_an_engine_that_answers_runs_the_server() {
        assert_eq!(choose(None, ContainerEngine::Ready), ServerSource::Container);
    }

    #[test]
    fn without_a_url_and_an_engine_the_embedded_program_runs() {
        assert_eq!(choose(None, ContainerEngine::Absent), ServerSource::Embedded);
        assert_eq!(choose(None, ContainerEngine::NotCompiled), ServerSource::Embedded);
    }

    #[tokio::test]
    async fn without_variables_a_build_without_the_feature_never_asks_for_docker() {
        let source = source("TARSY_TEST_NO_SUCH_VARIABLE").await;
        let asks_docker = cfg!(feature = "containers");
        assert!(
            source == ServerSource::Embedded || (asks_docker && source == ServerSource::Container)
        );
    }
}
