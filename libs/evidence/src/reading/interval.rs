//! How long something took or lasts, as PostgreSQL and others write it: `02:47:03.118402`, `1 day 03:00:12`.

use crate::quantity::Quantity;

/// Parts of names of fields whose times of day are durations.
const FIELDS: &[&str] = &[
    "age", "lag", "duration", "elapsed", "uptime", "delay", "interval", "runtime", "running",
    "waiting",
];
/// The longest such value, in bytes.
const LONGEST: usize = 40;

/// The duration that a field has, if its name speaks of one.
pub(super) fn of_field(field: &str, text: &str) -> Option<Quantity> {
    let lower = field.to_lowercase();
    if !FIELDS.iter().any(|word| lower.contains(word)) || text.len() > LONGEST {
        return None;
    }
    let (days, clock) = text.rsplit_once(' ').unwrap_or(("", text));
    let days = match days.split_once(' ') {
        Some((count, "day" | "days")) => count.parse::<f64>().ok()?,
        _ if days.is_empty() => 0.0,
        _ => return None,
    };
    let parts: Vec<&str> = clock.split(':').collect();
    let [hours, minutes, seconds] = parts.as_slice() else { return None };
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if minutes.len() != 2 || !is_number(hours) || !is_number(minutes) {
        return None;
    }
    let (hours, minutes) = (hours.parse::<f64>().ok()?, minutes.parse::<f64>().ok()?);
    let decimals = seconds.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let step = 10_f64.powi(-i32::try_from(decimals).ok()?);
    let seconds = seconds.parse::<f64>().ok()?;
    Some(Quantity::seconds(((days * 24.0 + hours) * 60.0 + minutes) * 60.0 + seconds, step))
}
