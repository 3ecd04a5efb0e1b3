//! An alert of a source without secrets.

use std::collections::BTreeMap;

use serde_json::Value;
use tarsy_intake::{Alert, Link};

use crate::masking::{AlertMasker, Error};
use crate::submission::fields::masked_labels;

/// The keys by which alerts are compared stay as they are.
pub(super) fn alert(alert: Alert, masker: &AlertMasker) -> Result<Alert, Error> {
    let mask = |text: Option<String>| text.map(|text| masker.mask(text)).transpose();
    let links = alert
        .links
        .into_iter()
        .map(|link| Ok(Link { title: masker.mask(link.title)?, url: masker.mask(link.url)? }));
    Ok(Alert {
        title: masker.mask(alert.title)?,
        severity: mask(alert.severity)?,
        service: mask(alert.service)?,
        namespace: mask(alert.namespace)?,
        cluster: mask(alert.cluster)?,
        labels: masked_labels(&alert.labels, masker)?,
        annotations: masked_labels(&alert.annotations, masker)?,
        links: links.collect::<Result<_, Error>>()?,
        notes: alert.notes.into_iter().map(|note| masker.mask(note)).collect::<Result<_, _>>()?,
        raw: json(alert.raw, masker)?,
        ..alert
    })
}

/// A text is masked together with its member's name, which may be what makes it a secret.
fn json(value: Value, masker: &AlertMasker) -> Result<Value, Error> {
    Ok(match value {
        Value::String(text) => Value::String(masker.mask(text)?),
        Value::Array(items) => {
            items.into_iter().map(|item| json(item, masker)).collect::<Result<_, _>>()?
        }
        Value::Object(members) => {
            let mut safe = serde_json::Map::new();
            for (name, value) in members {
                if let Value::String(text) = value {
                    let pair = BTreeMap::from([(name, text)]);
                    let pairs = masked_labels(&pair, masker)?;
                    safe.extend(pairs.into_iter().map(|(name, text)| (name, text.into())));
                } else {
                    safe.insert(masker.mask(name)?, json(value, masker)?);
                }
            }
            Value::Object(safe)
        }
        other => other,
    })
}
