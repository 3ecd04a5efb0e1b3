//! Sources, their verification, rules and decisions, through the library's own surface.

mod cloudevents;
mod decisions;
mod groups;
mod incidents;
mod mapping;
mod properties;
mod routing;
mod sns;
mod support;
mod verification;
