//! Warnings that a periodic check raises and clears.

use tarsy_bus::{Bus, Error};
use tarsy_contracts::status::Warning;
use tarsy_contracts::topology;
use tarsy_domain::clock::Clock;

/// Raises the warning with this message and details, updates its details, or clears it.
pub async fn set_warning(
    bus: &Bus,
    clock: &dyn Clock,
    id: &str,
    problem: Option<(&str, String)>,
) -> Result<(), Error> {
    let warnings = bus.kv(&topology::WARNINGS);
    let raised: Option<Warning> = warnings.get(id).await?;
    match (problem, raised) {
        (None, None) => Ok(()),
        (None, Some(_)) => warnings.delete(id).await,
        (Some((_, details)), Some(raised)) if raised.details == details => Ok(()),
        (Some((message, details)), raised) => {
            let warning = Warning {
                id: id.to_owned(),
                category: id.split('.').next().unwrap_or(id).to_owned(),
                message: message.to_owned(),
                details,
                server_id: None,
                created_at: raised.map_or_else(|| clock.now(), |raised| raised.created_at),
            };
            warnings.put(id, &warning).await
        }
    }
}
