//! The configured destinations and their channels.

use std::collections::BTreeMap;
use std::sync::Arc;

use tarsy_catalog::Destination;

use crate::channel::{Channel, ChannelContext};
use crate::channels;

/// The destinations of the configuration; cheap to clone.
#[derive(Clone)]
pub(crate) struct Destinations(Arc<BTreeMap<String, Opened>>);

pub(crate) struct Opened {
    pub(crate) settings: Destination,
    pub(crate) channel: Box<dyn Channel>,
}

impl Destinations {
    pub(crate) fn open(
        destinations: Vec<Destination>,
        context: &ChannelContext<'_>,
    ) -> anyhow::Result<Self> {
        let opened = destinations.into_iter().map(|settings| {
            let channel = channels::open(&settings.target, context)?;
            Ok((settings.name.clone(), Opened { settings, channel }))
        });
        Ok(Self(Arc::new(opened.collect::<anyhow::Result<_>>()?)))
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.0.keys().cloned().collect()
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Opened> {
        self.0.get(name)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Opened> {
        self.0.values()
    }
}
