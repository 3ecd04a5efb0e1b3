//! Where the prices of the models come from that a session called.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use tarsy_domain::price::PriceSource;
use utoipa::ToSchema;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = ModelPriceView)]
pub struct ModelPrice {
    pub provider: String,
    /// `configured` by the operator, of the `price_list` that comes with TARSy, or `none`.
    #[schema(value_type = String)]
    pub source: PriceSource,
    /// The day of the price list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, example = "2026-11-20")]
    pub list_day: Option<Date>,
}
