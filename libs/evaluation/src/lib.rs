//! Compares investigations with each other and with the answers that a case expects.
//!
//! Pure: records and texts in, values out. It knows neither files, services nor models.

mod case;
mod comparison;
mod confirmed;
mod grounding;
mod layout;
mod reliability;
mod run;
mod score;
mod statistics;
mod verdict;

pub use case::{Expected, InvalidCase};
pub use comparison::{CallDifference, Comparison, Side, compare};
pub use confirmed::{Reviewed, confirmed};
pub use grounding::{Grounding, grounding};
pub use layout::{File, Layout, LayoutError, ReadCase};
pub use reliability::Reliability;
pub use run::{CaseRun, Figure, Means, RunReport, Totals};
pub use score::{Score, candidates, score};
pub use statistics::{Interval, mean, wilson};
