//! Errors of applications that no other family knows.

use super::pattern::{Pattern, log};
use crate::verdict::Category::Application;

pub(super) const PATTERNS: &[Pattern] = &[
    log(
        Application,
        44.0,
        "an error of the application itself: an exception that it does not handle",
        r"nullpointerexception|nil pointer|index out of range|unhandled (?:exception|rejection)|undefined is not|attributeerror|typeerror|valueerror|keyerror|assertionerror|illegalstateexception|traceback \(most recent",
    ),
    log(
        Application,
        42.0,
        "requests are answered with server errors",
        r#"\bhttp/\d(?:\.\d)?"? 5\d\d\b|\bstatus(?:[ _]?code)?["']?[=: ]+"?5\d\d\b|internal server error|code = internal|service unavailable|code = unavailable|bad gateway|gateway timeout"#,
    ),
    log(
        Application,
        38.0,
        "the application logs errors",
        r#"\berror\b|\bexception\b|\bfail(?:ed|ure|ing)?\b|\bcritical\b|\bsevere\b|level["']?[=:]\s*["']?(?:error|fatal)|\be\d{4} \d\d:"#,
    ),
    log(Application, 20.0, "the application logs warnings", r"\bwarn(?:ing)?\b"),
];
