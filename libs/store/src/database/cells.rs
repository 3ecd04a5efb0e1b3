//! Reading rows: bare columns become the words of the domain.

use std::str::FromStr;

use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde_json::Value;
use sqlx::postgres::{PgRow, Postgres};
use sqlx::{Decode, Row, Type};
use uuid::Uuid;

use crate::error::Error;

/// One row of a table.
pub(crate) struct Cells<'r> {
    row: &'r PgRow,
    table: &'static str,
}

impl<'r> Cells<'r> {
    pub(crate) fn new(row: &'r PgRow, table: &'static str) -> Self {
        Self { row, table }
    }

    pub(crate) fn get<T>(&self, column: &str) -> Result<T, Error>
    where
        T: Decode<'r, Postgres> + Type<Postgres>,
    {
        Ok(self.row.try_get(column)?)
    }

    pub(crate) fn text(&self, column: &str) -> Result<String, Error> {
        self.get(column)
    }

    pub(crate) fn maybe_text(&self, column: &str) -> Result<Option<String>, Error> {
        self.get(column)
    }

    pub(crate) fn maybe_json(&self, column: &str) -> Result<Option<Value>, Error> {
        self.get(column)
    }

    /// What a JSON column holds; another shape is an inconsistency.
    pub(crate) fn maybe_decoded<T: DeserializeOwned>(
        &self,
        column: &str,
    ) -> Result<Option<T>, Error> {
        let value = self.maybe_json(column)?.map(serde_json::from_value);
        value.transpose().map_err(|_| Error::Inconsistent { table: self.table })
    }

    pub(crate) fn id<T: From<Uuid>>(&self, column: &str) -> Result<T, Error> {
        Ok(self.get::<Uuid>(column)?.into())
    }

    pub(crate) fn maybe_id<T: From<Uuid>>(&self, column: &str) -> Result<Option<T>, Error> {
        Ok(self.get::<Option<Uuid>>(column)?.map(T::from))
    }

    pub(crate) fn time(&self, column: &str) -> Result<Timestamp, Error> {
        Ok(self.get::<jiff_sqlx::Timestamp>(column)?.to_jiff())
    }

    pub(crate) fn maybe_time(&self, column: &str) -> Result<Option<Timestamp>, Error> {
        Ok(self.get::<Option<jiff_sqlx::Timestamp>>(column)?.map(jiff_sqlx::Timestamp::to_jiff))
    }

    /// An enumeration; a word that this program does not know is an inconsistency.
    pub(crate) fn word<T: FromStr>(&self, column: &str) -> Result<T, Error> {
        self.get::<&str>(column)?.parse().map_err(|_| Error::Inconsistent { table: self.table })
    }

    pub(crate) fn maybe_word<T: FromStr>(&self, column: &str) -> Result<Option<T>, Error> {
        let word: Option<&str> = self.get(column)?;
        word.map(str::parse).transpose().map_err(|_| Error::Inconsistent { table: self.table })
    }

    /// The same for an array.
    pub(crate) fn words<T: FromStr>(&self, column: &str) -> Result<Vec<T>, Error> {
        let words: Vec<String> = self.get(column)?;
        let words = words.iter().map(|word| word.parse()).collect::<Result<_, _>>();
        words.map_err(|_| Error::Inconsistent { table: self.table })
    }
}
