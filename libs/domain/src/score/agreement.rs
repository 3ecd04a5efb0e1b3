//! How far scores and the reviews of people say the same: Cohen's kappa.

use crate::review::Review;

/// With fewer sessions, kappa says nothing.
pub const FEWEST_SESSIONS: u32 = 30;

/// Sessions that have both, by what each says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Agreement {
    /// The rows are scores, the columns reviews.
    cells: [[u32; 3]; 3],
}

const fn place(word: Review) -> usize {
    match word {
        Review::Accurate => 0,
        Review::Partly => 1,
        Review::Wrong => 2,
    }
}

impl Agreement {
    /// Adds sessions whose score says one thing and whose review another, or the same.
    pub fn add(&mut self, score: Review, review: Review, sessions: u32) {
        let row = self.cells.get_mut(place(score));
        if let Some(cell) = row.and_then(|row| row.get_mut(place(review))) {
            *cell = cell.saturating_add(sessions);
        }
    }

    pub fn sessions(&self) -> u32 {
        self.cells.iter().flatten().fold(0, |sum, cell| sum.saturating_add(*cell))
    }

    /// Sessions whose score says what the review says.
    pub fn agreeing(&self) -> u32 {
        let diagonal = self.cells.iter().enumerate().filter_map(|(at, row)| row.get(at));
        diagonal.fold(0, |sum, cell| sum.saturating_add(*cell))
    }

    /// 1 if both always say the same, 0 if they agree as often as chance has it. None of fewer than 30 sessions, and
    /// where chance alone explains all: either says the same of every session.
    pub fn kappa(&self) -> Option<f64> {
        let sessions = self.sessions();
        if sessions < FEWEST_SESSIONS {
            return None;
        }
        let total = f64::from(sessions);
        let observed = f64::from(self.agreeing()) / total;
        let of_row = |at: usize| self.cells.get(at).into_iter().flatten().copied().map(f64::from);
        let of_column = |at: usize| {
            self.cells.iter().filter_map(move |row| row.get(at).copied()).map(f64::from)
        };
        let by_chance = (0..3)
            .map(|at| of_row(at).sum::<f64>() * of_column(at).sum::<f64>() / (total * total))
            .sum::<f64>();
        (by_chance < 1.0).then(|| (observed - by_chance) / (1.0 - by_chance))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: Review = Review::Accurate;
    const BAD: Review = Review::Wrong;

    fn of(cells: &[(Review, Review, u32)]) -> Agreement {
        let mut agreement = Agreement::default();
        for &(score, review, sessions) in cells {
            agreement.add(score, review, sessions);
        }
        agreement
    }

    #[test]
    fn kappa_is_what_a_textbook_has() {
        // 20 and 15 agree of 50: observed 0.7, by chance 0.5.
        let agreement = of(&[(GOOD, GOOD, 20), (GOOD, BAD, 5), (BAD, GOOD, 10), (BAD, BAD, 15)]);
        assert_eq!((agreement.sessions(), agreement.agreeing()), (50, 35));
        let kappa = agreement.kappa().unwrap();
        assert!((kappa - 0.4).abs() < 1e-9, "{kappa}");
    }

    #[test]
    fn it_is_one_if_they_always_agree_and_negative_if_never() {
        let always = of(&[(GOOD, GOOD, 20), (BAD, BAD, 20)]).kappa().unwrap();
        assert!((always - 1.0).abs() < 1e-9, "{always}");
        assert!(of(&[(GOOD, BAD, 20), (BAD, GOOD, 20)]).kappa().unwrap() < 0.0);
    }

    #[test]
    fn there_is_none_of_few_sessions_or_of_one_word() {
        assert_eq!(of(&[(GOOD, GOOD, 15), (BAD, BAD, 14)]).kappa(), None);
        assert_eq!(of(&[(GOOD, GOOD, 100)]).kappa(), None);
        assert_eq!(Agreement::default().kappa(), None);
    }
}
