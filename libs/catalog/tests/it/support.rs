//! Loading from texts.

use std::path::PathBuf;

use tarsy_catalog::{Catalog, Env, PROVIDERS_FILE, Report, Source, Sources, TARSY_FILE};

pub(crate) fn sources(tarsy: &str, providers: &str) -> Sources {
    let source = |name: &str, text: &str| {
        (!text.is_empty()).then(|| Source { name: name.to_owned(), text: text.to_owned() })
    };
    let (tarsy, providers) = (source(TARSY_FILE, tarsy), source(PROVIDERS_FILE, providers));
    Sources { tarsy, providers, ..Sources::default() }
}

pub(crate) fn load(tarsy: &str, providers: &str, env: &Env) -> Result<Catalog, Report> {
    Catalog::load(sources(tarsy, providers), env)
}

pub(crate) fn tarsy(text: &str) -> Catalog {
    load(text, "", &Env::empty()).unwrap_or_else(|report| panic!("{report}"))
}

pub(crate) fn with_keys(text: &str, providers: &str) -> Catalog {
    let env = Env::of([("GOOGLE_API_KEY", "k"), ("OPENAI_API_KEY", "k"), ("XAI_API_KEY", "k")]);
    load(text, providers, &env).unwrap_or_else(|report| panic!("{report}"))
}

pub(crate) fn refused(tarsy: &str, providers: &str) -> String {
    load(tarsy, providers, &Env::empty()).expect_err("the files are broken").to_string()
}

pub(crate) fn shipped(name: &str) -> Source {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../deploy/config").join(name);
    let text = std::fs::read_to_string(&path).expect("the example is shipped");
    Source { name: name.to_owned(), text }
}

/// The text with every line that is commented out by `#: ` switched on.
pub(crate) fn switched_on(source: Source) -> Source {
    let text = source.text.lines().map(|line| line.replacen("#: ", "", 1) + "\n").collect();
    Source { text, ..source }
}
