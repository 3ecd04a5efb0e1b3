//! Lines of Prometheus: `up{job="api"} 1`, `{pod="web-1"} => 0.5 @[1795442400]`.

use super::{Object, Readings};
use crate::moment::Moment;

/// Reads the line, if it is a sample.
pub(super) fn read_sample(text: &str, line: usize, readings: &mut Readings) -> bool {
    if let Some((name, value)) = bare(text.trim()) {
        readings.push(&Object::default(), name, value, line);
        return true;
    }
    let Some((name, rest)) = text.trim().split_once('{') else { return false };
    if name.contains(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | ':'))) {
        return false;
    }
    let Some((labels, rest)) = rest.split_once('}') else { return false };
    let rest = rest.trim().trim_start_matches("=>").trim();
    let (value, time) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let number = value.trim_start_matches(['-', '+']);
    if !number.bytes().next().is_some_and(|byte| byte.is_ascii_digit()) && number != "NaN"
        || !labels.contains('=')
    {
        return false;
    }
    let pairs: Vec<(&str, &str)> = labels
        .split("\",")
        .filter_map(|pair| pair.split_once('='))
        .map(|(key, value)| (key.trim(), value.trim().trim_matches('"')))
        .collect();
    let object = Object::new(pairs.iter().map(|pair| pair.1));
    let digits =
        time.trim().trim_start_matches("@[").trim_start_matches('@').trim_end_matches(']').trim();
    for (key, value) in &pairs {
        readings.push(&object, key, value, line);
    }
    readings.set_time(digits.parse().ok().and_then(Moment::of_epoch));
    readings.push(&object, if name.is_empty() { "value" } else { name }, value, line);
    readings.set_time(None);
    true
}

/// A sample without labels, as a service exposes it: `process_open_fds 1021`.
fn bare(text: &str) -> Option<(&str, &str)> {
    let (name, value) = text.split_once(' ')?;
    let is_name = name.contains('_')
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | ':'));
    let is_number = !value.contains(' ') && value.parse::<f64>().is_ok();
    (is_name && is_number).then_some((name, value))
}
