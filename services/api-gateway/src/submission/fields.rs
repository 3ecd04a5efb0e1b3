//! What a sender states about an alert beside its text.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use tarsy_contracts::alert::{AlertFields, AlertLink};
use tarsy_intake::{
    MAX_FINGERPRINT, MAX_LABEL_NAME, MAX_LABEL_VALUE, MAX_LABELS, MAX_LINKS, MAX_NAME,
    MAX_SEVERITY, MAX_TITLE, MAX_URL, stated_in, title_of,
};
use tarsy_web::FieldError;
use url::Url;

use super::check::{Checker, kind};
use crate::masking::{AlertMasker, Error};

/// The members that are read here.
pub(super) const NAMES: [&str; 8] =
    ["title", "severity", "service", "namespace", "cluster", "links", "labels", "fingerprint"];

pub(super) fn read(check: &mut Checker, alert: &Map<String, Value>) -> AlertFields {
    AlertFields {
        title: check.text(alert, "title", MAX_TITLE).map(|text| one_line(&text)),
        severity: check.text(alert, "severity", MAX_SEVERITY).map(|text| text.to_lowercase()),
        service: check.text(alert, "service", MAX_NAME),
        namespace: check.text(alert, "namespace", MAX_NAME),
        cluster: check.text(alert, "cluster", MAX_NAME),
        links: links(check, alert.get("links")),
        labels: labels(check, alert.get("labels")),
        fingerprint: check.text(alert, "fingerprint", MAX_FINGERPRINT),
    }
}

/// What a record states of its alert, read as an alert is; errors name the field behind this prefix.
pub(crate) fn checked(fields: &AlertFields, prefix: &str) -> Result<AlertFields, Vec<FieldError>> {
    let stated = serde_json::to_value(fields).unwrap_or_default();
    let mut check = Checker::default();
    let read = stated.as_object().map(|stated| read(&mut check, stated)).unwrap_or_default();
    if check.errors.is_empty() {
        return Ok(read);
    }
    let named = |error: FieldError| {
        let field = format!("{prefix}{}", error.field);
        FieldError { field, ..error }
    };
    Err(check.errors.into_iter().map(named).collect())
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn links(check: &mut Checker, value: Option<&Value>) -> Vec<AlertLink> {
    let mut links = Vec::new();
    for (index, value) in check.list("links", value, MAX_LINKS).into_iter().enumerate() {
        let place = format!("links[{index}]");
        let Some(object) = value.as_object() else {
            let message = format!("is {}; write {{\"title\": \"…\", \"url\": \"…\"}}", kind(value));
            check.wrong(&place, message);
            continue;
        };
        check.known(&format!("{place}."), object, &["title", "url"]);
        let title = check.name(&format!("{place}.title"), object.get("title"), "what the page is");
        let url = link_url(check, &format!("{place}.url"), object.get("url"));
        if let (Some(title), Some(url)) = (title, url) {
            links.push(AlertLink { title: one_line(&title), url });
        }
    }
    links
}

/// Only `http` and `https`: people open it.
fn link_url(check: &mut Checker, field: &str, value: Option<&Value>) -> Option<String> {
    let Some(text) = value.and_then(Value::as_str) else {
        check.wrong(field, "is missing; write the address of a page, https://…");
        return None;
    };
    if text.len() > MAX_URL {
        check.wrong(field, format!("is too long; write at most {MAX_URL} characters"));
        return None;
    }
    match Url::parse(text) {
        Ok(url) if matches!(url.scheme(), "http" | "https") => Some(url.into()),
        _ => {
            check.wrong(field, "is no address of a page; write https://…");
            None
        }
    }
}

fn labels(check: &mut Checker, value: Option<&Value>) -> BTreeMap<String, String> {
    let Some(object) = check.object("labels", value, "{\"team\": \"payments\"}") else {
        return BTreeMap::new();
    };
    if object.len() > MAX_LABELS {
        check.wrong("labels", format!("has {} entries; write at most {MAX_LABELS}", object.len()));
        return BTreeMap::new();
    }
    let mut labels = BTreeMap::new();
    for (name, value) in object {
        let count = name.chars().count();
        if name.trim().is_empty() || count > MAX_LABEL_NAME || name.contains('\0') {
            let message = format!(
                "has a name that is blank or too long; write 1 to {MAX_LABEL_NAME} characters"
            );
            check.wrong("labels", message);
            continue;
        }
        match value {
            Value::String(text) if text.chars().count() <= MAX_LABEL_VALUE => {
                labels.insert(name.clone(), text.clone());
            }
            Value::String(_) => {
                let message = format!("is too long; write at most {MAX_LABEL_VALUE} characters");
                check.wrong(&format!("labels.{name}"), message);
            }
            other => {
                let message = format!("is {}; write text", kind(other));
                check.wrong(&format!("labels.{name}"), message);
            }
        }
    }
    labels
}

/// The fields without secrets. The fingerprint stays as it is: it is compared. What an alert does not state
/// itself is read from its labels and its text, which is masked already.
pub(crate) fn masked(
    fields: &AlertFields,
    text: &str,
    masker: &AlertMasker,
) -> Result<AlertFields, Error> {
    let mask = |text: &Option<String>| text.clone().map(|text| masker.mask(text)).transpose();
    let title = mask(&fields.title)?;
    let links = fields.links.iter().map(|link| {
        let (title, url) = (masker.mask(link.title.clone())?, masker.mask(link.url.clone())?);
        Ok(AlertLink { title, url })
    });
    let links = links.collect::<Result<_, _>>()?;
    let labels = masked_labels(&fields.labels, masker)?;
    let stated = stated_in(&labels, text);
    Ok(AlertFields {
        title: title.or_else(|| title_of(text)),
        severity: mask(&fields.severity)?.or(stated.severity),
        service: mask(&fields.service)?.or(stated.service),
        namespace: mask(&fields.namespace)?.or(stated.namespace),
        cluster: mask(&fields.cluster)?.or(stated.cluster),
        links,
        labels,
        fingerprint: fields.fingerprint.clone(),
    })
}

/// A value is masked together with its name, which may be what makes it a secret.
pub(crate) fn masked_labels(
    labels: &BTreeMap<String, String>,
    masker: &AlertMasker,
) -> Result<BTreeMap<String, String>, Error> {
    let mut all = BTreeMap::new();
    for (name, value) in labels {
        let pair = masker.mask(format!("{name}: {value}"))?;
        let value = match pair.strip_prefix(&format!("{name}: ")) {
            Some(value) => value.to_owned(),
            None => pair,
        };
        all.insert(masker.mask(name.clone())?, value);
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tarsy_catalog::AlertMasking;

    use super::*;

    fn fields_of(alert: &Value) -> Result<AlertFields, Vec<String>> {
        let mut check = Checker::default();
        let fields = read(&mut check, alert.as_object().unwrap());
        if check.errors.is_empty() {
            return Ok(fields);
        }
        Err(check.errors.into_iter().map(|error| error.field).collect())
    }

    #[test]
    fn every_member_is_read() {
        let alert = json!({
            "title": " Disk\n full ", "severity": "Critical", "service": "checkout", "namespace": "shop",
            "cluster": "eu-1", "links": [{"title": "Graph", "url": "https://grafana.example/d/1"}],
            "labels": {"team": "payments"}, "fingerprint": "abc",
        });
        let read = fields_of(&alert).unwrap();
        assert_eq!(read.title.as_deref(), Some("Disk full"));
        assert_eq!(read.severity.as_deref(), Some("critical"));
        assert_eq!(read.links[0].url, "https://grafana.example/d/1");
        assert_eq!(read.labels["team"], "payments");
        assert_eq!(read.fingerprint.as_deref(), Some("abc"));
        assert_eq!(
            fields_of(&json!({"links": null, "labels": null})).unwrap(),
            AlertFields::default()
        );
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let many: Map<String, Value> = (0..65).map(|n| (n.to_string(), json!("x"))).collect();
        for (alert, field) in [
            (json!({"title": "x".repeat(201)}), "title"),
            (json!({"severity": 1}), "severity"),
            (json!({"links": [{"title": "x", "url": "javascript:alert(1)"}]}), "links[0].url"),
            (json!({"links": [{"url": "https://a.example"}]}), "links[0].title"),
            (json!({"links": ["https://a.example"]}), "links[0]"),
            (
                json!({"links": [{"title": "x", "url": "https://a.example", "more": 1}]}),
                "links[0].more",
            ),
            (json!({"labels": {"a": 1}}), "labels.a"),
            (json!({"labels": {" ": "x"}}), "labels"),
            (json!({"labels": many}), "labels"),
        ] {
            assert_eq!(fields_of(&alert).unwrap_err(), [field], "{alert}");
        }
    }

    #[test]
    fn what_an_alert_does_not_state_is_read_from_its_labels_and_its_text() {
        let rules = AlertMasking { enabled: true, pattern_group: "security".to_owned() };
        let masker = AlertMasker::new(&rules).unwrap();
        let text = json!({"labels": {"severity": "Warning", "namespace": "shop"}}).to_string();
        let alert = json!({"labels": {"service": "cart"}, "namespace": "stated"});
        let stored = masked(&fields_of(&alert).unwrap(), &text, &masker).unwrap();
        assert_eq!(stored.severity.as_deref(), Some("warning"));
        assert_eq!(stored.service.as_deref(), Some("cart"));
        assert_eq!(stored.namespace.as_deref(), Some("stated"));
    }

    #[test]
    fn secrets_of_labels_and_links_are_masked() {
        let rules = AlertMasking { enabled: true, pattern_group: "security".to_owned() };
        let masker = AlertMasker::new(&rules).unwrap();
        let alert = json!({
            "data": "x",
            "labels": {"password": "hunter2hunter2", "team": "payments"},
            "links": [{"title": "x", "url": "https://a.example/?password=hunter2hunter2"}],
        });
        let fields = fields_of(&alert).unwrap();
        let stored = masked(&fields, "first line\nsecond", &masker).unwrap();
        let text = serde_json::to_string(&stored).unwrap();
        assert!(!text.contains("hunter2"), "{text}");
        assert_eq!(stored.labels["team"], "payments");
        assert_eq!(stored.title.as_deref(), Some("first line"));
    }
}
