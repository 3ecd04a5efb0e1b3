//! What is the same for every masker of a process: the rules, and one automaton for the literals of all patterns. It takes
//! some megabytes, and a process has a masker for each tool server.

use std::sync::OnceLock;

use super::commands::{self, Program};
use super::hits::Automaton;
use super::literals::{Literal, Trigger, announced};
use super::names::Names;
use super::scanner::Enabled;
use super::vendors::{self, Rule};
use crate::error::Error;
use crate::patterns::group;

/// The rules of all patterns, ready to search.
#[derive(Debug)]
pub(super) struct Tables {
    pub(super) automaton: Automaton,
    /// By the automaton's numbers.
    pub(super) literals: Vec<Literal>,
    pub(super) vendors: Vec<Rule>,
    pub(super) programs: Vec<Program>,
    pub(super) names: Names,
    announced: Vec<(String, Trigger)>,
}

/// Built by the first masker of the process.
static SHARED: OnceLock<Tables> = OnceLock::new();

impl Tables {
    /// Those of this process.
    pub(super) fn shared() -> Result<&'static Self, Error> {
        if let Some(tables) = SHARED.get() {
            return Ok(tables);
        }
        // Two that begin at once build them twice; one is kept.
        let built = Self::new()?;
        Ok(SHARED.get_or_init(|| built))
    }

    fn new() -> Result<Self, Error> {
        let (vendors, programs) = (vendors::rules()?, commands::programs()?);
        let announced = announced(&every_pattern(), &vendors, &programs);
        let literals =
            announced.iter().map(|(text, trigger)| Literal::new(text, *trigger, &vendors));
        let literals: Vec<Literal> = literals.collect();
        let texts: Vec<&str> = announced.iter().map(|(text, _)| text.as_str()).collect();
        let automaton = Automaton::new(&texts, &literals)?;
        Ok(Self { automaton, literals, vendors, programs, names: Names::read()?, announced })
    }

    /// Which literals these patterns need, by the automaton's numbers; none if they need none.
    pub(super) fn needed(&self, enabled: &Enabled) -> Option<Vec<bool>> {
        let some = announced(enabled, &self.vendors, &self.programs);
        // Both lists have one order: fewer patterns only leave literals out.
        let mut some = some.iter().peekable();
        some.peek()?;
        Some(self.announced.iter().map(|one| some.next_if(|next| *next == one).is_some()).collect())
    }
}

fn every_pattern() -> Enabled {
    Enabled::new(group("all").into_iter().flatten())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::patterns::Pattern;

    /// A literal that is left out here would never be found by a masker with these patterns.
    #[test]
    fn the_literals_of_some_patterns_are_all_among_those_of_every_pattern() {
        let tables = Tables::shared().expect("readable");
        let patterns: Vec<Pattern> = group("all").into_iter().flatten().collect();
        for one in &patterns {
            for other in &patterns {
                let enabled = Enabled::new([*one, *other]);
                let needed = tables.needed(&enabled).unwrap_or_default();
                let expected = announced(&enabled, &tables.vendors, &tables.programs);
                let found: Vec<_> = (tables.announced.iter().zip(needed))
                    .filter(|(_, is_needed)| *is_needed)
                    .map(|(literal, _)| literal)
                    .collect();
                assert_eq!(found, expected.iter().collect::<Vec<_>>(), "{one:?}, {other:?}");
            }
        }
    }
}
