//! The part of a score that code decides, from what is counted in the record.

/// Points that are lost if none of the claims is backed.
const CLAIMS: u32 = 40;
/// If every call failed.
const FAILED: u32 = 20;
/// If every call repeats another one.
const REPEATED: u32 = 10;
/// If the budget ended the investigation.
const BUDGET: u8 = 10;
/// The most that an investigation gets that looked at nothing.
const BLIND: u8 = 20;

/// What is counted of an investigation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ScoreChecks {
    /// Claims of its last conclusions; 0 if nothing was checked.
    pub claims: Part,
    /// Calls that failed, of all.
    pub failed: Part,
    /// Calls that repeat an earlier one, of all.
    pub repeated: Part,
    pub budget_used_up: bool,
    /// Whether a tool showed it something.
    pub looked: bool,
}

/// So many of so many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Part {
    pub count: u32,
    pub of: u32,
}

impl Part {
    /// As much of some points, rounded.
    fn of_points(self, points: u32) -> u8 {
        let (count, of) = (u64::from(self.count.min(self.of)), u64::from(self.of));
        let lost = (count * u64::from(points) * 2 + of).checked_div(of * 2).unwrap_or_default();
        u8::try_from(lost).unwrap_or(u8::MAX)
    }
}

impl ScoreChecks {
    /// 100, less what each check costs, and at most 20 without a look.
    pub fn score(&self) -> u8 {
        let lost = [
            self.claims.of_points(CLAIMS),
            self.failed.of_points(FAILED),
            self.repeated.of_points(REPEATED),
            if self.budget_used_up { BUDGET } else { 0 },
        ];
        let score = lost.into_iter().fold(100_u8, u8::saturating_sub);
        if self.looked { score } else { score.min(BLIND) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLEAN: ScoreChecks = ScoreChecks {
        claims: Part { count: 0, of: 12 },
        failed: Part { count: 0, of: 4 },
        repeated: Part { count: 0, of: 4 },
        budget_used_up: false,
        looked: true,
    };

    #[test]
    fn each_check_costs_its_part() {
        let part = |count, of| Part { count, of };
        for (checks, score) in [
            (CLEAN, 100),
            (ScoreChecks { claims: part(12, 12), ..CLEAN }, 60),
            (ScoreChecks { claims: part(1, 12), ..CLEAN }, 97),
            (ScoreChecks { failed: part(2, 4), ..CLEAN }, 90),
            (ScoreChecks { repeated: part(1, 4), ..CLEAN }, 97),
            (ScoreChecks { budget_used_up: true, ..CLEAN }, 90),
            (ScoreChecks { looked: false, ..CLEAN }, 20),
            (ScoreChecks { claims: part(0, 0), failed: part(0, 0), ..CLEAN }, 100),
        ] {
            assert_eq!(checks.score(), score, "{checks:?}");
        }
    }

    #[test]
    fn all_that_can_be_wrong_leaves_something_and_nothing_below_zero() {
        let all = Part { count: u32::MAX, of: u32::MAX };
        let worst = ScoreChecks {
            claims: all,
            failed: all,
            repeated: all,
            budget_used_up: true,
            looked: true,
        };
        assert_eq!(worst.score(), 20);
        assert_eq!(ScoreChecks { looked: false, ..worst }.score(), 20);
    }
}
