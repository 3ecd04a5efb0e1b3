//! Rules for scalars, named beside the field that they are for: `#[serde(with = "As::<Between<1, 50>>")]`.
//!
//! A rule is what reads the text of the file, and its JSON Schema.

mod address;
mod measure;
mod name;

use std::fmt;
use std::marker::PhantomData;
use std::path::PathBuf;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use tarsy_domain::access::Role;
use url::Url;

pub use self::address::is_safe_address;
pub(crate) use self::address::{
    Document, HttpAddress, HttpBase, HttpUrl, Issuer, TokenAddress, is_loopback_address, url_host,
};
pub(crate) use self::measure::{
    AnswerTime, AtLeast, Between, Dollars, Money, Positive, Seconds, Span, dollars,
};
pub(crate) use self::name::{
    AbsolutePath, AgentName, AlertTypeName, AllowedHost, CronExpression, Day, Expression,
    FullToolName, Glob, HeaderName, HostName, HostPattern, MaskingGroup, MaskingPattern, MonthDay,
    NotBlank, ObjectName, ProviderName, RepositoryPrefix, RoleName, Scope, ServerName, SkillName,
    VariableName, is_short_name,
};
use crate::duration;
use crate::fault::fault;

/// What a scalar must be.
pub(crate) trait Rule {
    type Value: Shown;

    /// Marks the value for checks that need more than the value; empty for no mark.
    const MARK: &'static str = "";
    /// What is accepted, as in "must be …, not a list".
    const EXPECTED: &'static str = "text";

    fn parse<E: de::Error>(text: &str) -> Result<Self::Value, E>;

    /// Stands for a value that could not be read.
    fn placeholder() -> Self::Value;

    fn schema() -> Schema {
        json_schema!({ "type": "string" })
    }
}

/// A value as a file has it.
pub(crate) trait Shown {
    fn show(&self) -> Value;
}

impl Shown for String {
    fn show(&self) -> Value {
        self.as_str().into()
    }
}

impl Shown for Role {
    fn show(&self) -> Value {
        self.as_str().into()
    }
}

impl Shown for u32 {
    fn show(&self) -> Value {
        (*self).into()
    }
}

/// Millionths, shown as the whole.
impl Shown for u64 {
    fn show(&self) -> Value {
        let (whole, part) = (self / 1_000_000, self % 1_000_000);
        format!("{whole}.{part:06}").parse::<f64>().map_or(Value::Null, Into::into)
    }
}

impl Shown for Duration {
    fn show(&self) -> Value {
        duration::show(*self).into()
    }
}

impl Shown for Url {
    fn show(&self) -> Value {
        self.as_str().into()
    }
}

impl Shown for PathBuf {
    fn show(&self) -> Value {
        self.display().to_string().into()
    }
}

/// A field whose scalar follows a rule.
pub(crate) struct As<R>(PhantomData<R>);

/// A field with a list of scalars that follow a rule, at least so many of them.
pub(crate) struct Each<R, const LEAST: usize = 0>(PhantomData<R>);

/// A field that holds a value or none.
pub(crate) trait Holds<V> {
    fn hold(value: V) -> Self;
    fn held(&self) -> Option<&V>;
}

impl<V> Holds<V> for V {
    fn hold(value: V) -> Self {
        value
    }

    fn held(&self) -> Option<&V> {
        Some(self)
    }
}

impl<V> Holds<V> for Option<V> {
    fn hold(value: V) -> Self {
        Some(value)
    }

    fn held(&self) -> Option<&V> {
        self.as_ref()
    }
}

impl<R: Rule> As<R> {
    pub(crate) fn deserialize<'de, D, T>(deserializer: D) -> Result<T, D::Error>
    where
        D: Deserializer<'de>,
        T: Holds<R::Value>,
    {
        deserializer.deserialize_newtype_struct(R::MARK, Scalar::<R>(PhantomData)).map(T::hold)
    }

    pub(crate) fn serialize<T, S>(value: &T, serializer: S) -> Result<S::Ok, S::Error>
    where
        T: Holds<R::Value>,
        S: Serializer,
    {
        value.held().map(Shown::show).serialize(serializer)
    }
}

impl<R: Rule, const LEAST: usize> Each<R, LEAST> {
    pub(crate) fn deserialize<'de, D, T>(deserializer: D) -> Result<T, D::Error>
    where
        D: Deserializer<'de>,
        T: Holds<Vec<R::Value>>,
    {
        let items: Vec<Item<R>> = at_least::<LEAST, _, _>(deserializer)?;
        Ok(T::hold(items.into_iter().map(|item| item.0).collect()))
    }

    pub(crate) fn serialize<T, S>(value: &T, serializer: S) -> Result<S::Ok, S::Error>
    where
        T: Holds<Vec<R::Value>>,
        S: Serializer,
    {
        let list = value.held().map(|list| list.iter().map(Shown::show).collect::<Vec<_>>());
        list.serialize(serializer)
    }
}

/// Reads a list of at least so many entries.
pub(crate) fn at_least<'de, const LEAST: usize, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    let items = Vec::deserialize(deserializer)?;
    if items.len() < LEAST {
        return Err(fault("must have at least one entry", "add one"));
    }
    Ok(items)
}

/// Reads text; an empty one counts as none.
pub(crate) fn not_empty<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: From<String>,
{
    let text = String::deserialize(deserializer)?;
    Ok(Some(text).filter(|text| !text.is_empty()).map(T::from))
}

/// An entry of a list that follows a rule.
pub(crate) struct Item<R: Rule>(pub(crate) R::Value);

impl<'de, R: Rule> Deserialize<'de> for Item<R> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        As::<R>::deserialize(deserializer).map(Self)
    }
}

struct Scalar<R>(PhantomData<R>);

impl<'de, R: Rule> Visitor<'de> for Scalar<R> {
    type Value = R::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(R::EXPECTED)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(
        self,
        deserializer: D,
    ) -> Result<R::Value, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<R::Value, E> {
        R::parse(text)
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<R::Value, E> {
        R::parse(&number.to_string())
    }

    /// As a stored session has an amount.
    fn visit_f64<E: de::Error>(self, number: f64) -> Result<R::Value, E> {
        R::parse(&number.to_string())
    }

    /// The reader has nothing that could be read.
    fn visit_unit<E: de::Error>(self) -> Result<R::Value, E> {
        Ok(R::placeholder())
    }
}

impl<R: Rule> JsonSchema for As<R> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Scalar".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        R::schema()
    }
}

impl<R: Rule, const LEAST: usize> JsonSchema for Each<R, LEAST> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Scalars".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let mut schema = json_schema!({ "type": "array", "items": R::schema() });
        if LEAST > 0 {
            schema.insert("minItems".to_owned(), LEAST.into());
        }
        schema
    }
}
