//! The full name of a tool, as models write it.

/// The server and the tool; whichever of the separators `__` and `.` comes first divides them.
pub(crate) fn names(name: &str) -> (&str, &str) {
    let split = [name.split_once("__"), name.split_once('.')];
    split.into_iter().flatten().min_by_key(|(server, _)| server.len()).unwrap_or(("", name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_separators_divide_a_tool_name() {
        assert_eq!(names("host.disk_usage"), ("host", "disk_usage"));
        assert_eq!(names("host__disk_usage"), ("host", "disk_usage"));
        assert_eq!(names("host.disk__usage"), ("host", "disk__usage"));
        assert_eq!(names("odd"), ("", "odd"));
    }
}
