//! What was cut, folded or left out of an alert, as sentences for people.

use std::cell::RefCell;
use std::rc::Rc;

/// The most notes of an alert; further ones are counted.
const MAX_NOTES: usize = 20;
/// The most characters of a note.
const MAX_NOTE: usize = 300;

/// The notes of one alert, shared by all places of its payload.
#[derive(Clone, Debug, Default)]
pub(crate) struct Notes(Rc<RefCell<Noted>>);

#[derive(Debug, Default)]
struct Noted {
    notes: Vec<String>,
    more: usize,
}

impl Notes {
    pub(crate) fn add(&self, note: impl Into<String>) {
        let note: String = note.into().chars().take(MAX_NOTE).collect();
        let mut noted = self.0.borrow_mut();
        if noted.notes.contains(&note) {
            return;
        }
        if noted.notes.len() < MAX_NOTES {
            noted.notes.push(note);
        } else {
            noted.more += 1;
        }
    }

    pub(crate) fn list(&self) -> Vec<String> {
        let Noted { notes, more } = &*self.0.borrow();
        let mut list = notes.clone();
        if *more > 0 {
            list.push(format!("and {more} more notes"));
        }
        list
    }
}
