//! What the catalog promises: every problem at once, each with place and remedy; defaults, overrides and
//! resolution as the configuration page says; the shipped examples load.

#[cfg(test)]
mod broken;
#[cfg(test)]
mod connections;
#[cfg(test)]
mod delegation;
#[cfg(test)]
mod destinations;
#[cfg(test)]
mod documents;
#[cfg(test)]
mod intake;
#[cfg(test)]
mod policies;
mod presets;
#[cfg(test)]
mod requested_provider;
#[cfg(test)]
mod requested_tools;
#[cfg(test)]
mod resolution;
#[cfg(test)]
mod schema;
#[cfg(test)]
mod shipped;
#[cfg(test)]
mod skills;
#[cfg(test)]
mod support;
#[cfg(test)]
mod today;
#[cfg(test)]
mod today_forms;
#[cfg(test)]
mod today_keys;
#[cfg(test)]
mod values;
