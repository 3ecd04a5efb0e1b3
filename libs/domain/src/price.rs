//! What a cost is computed by.

use crate::string_enum::string_enum;

string_enum! {
    /// By what costs are summed up.
    CostDimension {
        /// The name of a model.
        Model,
        /// A chain.
        Chain,
        /// The type of the alert.
        AlertType,
        /// An agent, by the name that the session shows.
        Agent,
    }
}

string_enum! {
    /// Where the price of a model's tokens comes from.
    PriceSource {
        /// What the operator wrote.
        Configured,
        /// The list that comes with TARSy.
        PriceList,
        /// There is none: calls are without a cost.
        None,
    }
}
