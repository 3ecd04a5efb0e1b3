//! Texts of one answer that came in several turns, because the time for one was up.

/// Characters by which a line that is begun again is recognised.
const BEGINNING: usize = 12;

/// One text of two. The model is asked to begin the last line again if it is not complete; if it does, the incomplete one
/// goes. If it goes on in the middle of the line, nothing is lost.
pub(crate) fn joined(before: &str, after: &str) -> String {
    let before = before.trim_end_matches([' ', '\n']);
    let after = after.trim_matches('\n');
    let at = before.rfind('\n').map_or(0, |at| at + 1);
    let (complete, last) = before.split_at(at);
    let beginning: String = last.trim_start().chars().take(BEGINNING).collect();
    if !beginning.is_empty() && after.trim_start().starts_with(beginning.trim_end()) {
        return format!("{complete}{after}");
    }
    let new_block = after.starts_with(['#', '-', '*', '|', '>', '`'])
        || ["Thought:", "Action:", "Final Answer:"].iter().any(|mark| after.starts_with(mark));
    let between = match (new_block, after.starts_with(' '), before.is_empty()) {
        (_, _, true) | (false, true, _) => "",
        (true, _, _) => "\n",
        (false, false, _) => " ",
    };
    format!("{before}{between}{after}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_begun_again_stands_once() {
        let before = "The disk is full.\nThe log of checkout grew by 40 Gi";
        let after = "The log of checkout grew by 40 GiB in an hour.\n- delete it";
        let whole =
            "The disk is full.\nThe log of checkout grew by 40 GiB in an hour.\n- delete it";
        assert_eq!(joined(before, after), whole);
        assert_eq!(joined("The load", "The load is 40."), "The load is 40.");
    }

    #[test]
    fn a_line_that_goes_on_stays_one_and_a_new_one_begins_below() {
        assert_eq!(joined("The disk is", "full."), "The disk is full.");
        assert_eq!(joined("The disk is", " full."), "The disk is full.");
        assert_eq!(joined("The disk is full.", "## Cause"), "The disk is full.\n## Cause");
        assert_eq!(joined("Thought: hm\n", "Action: host.load"), "Thought: hm\nAction: host.load");
        assert_eq!(joined("", "Found."), "Found.");
    }
}
