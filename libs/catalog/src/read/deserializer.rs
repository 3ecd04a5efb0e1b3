//! A serde deserializer over the tree of a YAML file, in which the type decides how a scalar is read.
//!
//! Three conventions go beyond serde:
//! a field whose name begins with `*` is read from the mapping that its structure is read from, an
//! enumeration in such a field is chosen by the key `type` of that mapping, and a structure that is named `*KEY` may be
//! written as the value of that key alone.

use std::cell::RefCell;

use serde::Deserializer;
use serde::de::value::StrDeserializer;
use serde::de::{
    self, DeserializeSeed, EnumAccess, IntoDeserializer, MapAccess, SeqAccess, Unexpected,
    VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;

use super::pass::{Claims, FLATTENED, Field, Mark, Pass, Repair, TAG, Value, boolean, mismatch};
use crate::fault::{Fault, FaultKind, Variant};
use crate::path::Path;
use crate::yaml::{Entry, Kind, Node};

/// Reads one value.
pub(super) struct Reader<'a> {
    pass: &'a Pass<'a>,
    /// None for a placeholder.
    node: Option<&'a Node>,
    path: Path,
    claims: Option<&'a RefCell<Claims>>,
}

impl<'a> Reader<'a> {
    pub(super) fn root(pass: &'a Pass<'a>, node: &'a Node) -> Self {
        Self { pass, node: Some(node), path: Path::root(), claims: None }
    }

    fn child(&self, node: Option<&'a Node>, path: Path) -> Self {
        let node = node.filter(|_| !self.pass.repairs.contains_key(&path));
        Self { pass: self.pass, node, path, claims: None }
    }

    fn read_child<'de, S: DeserializeSeed<'de>>(
        &self,
        node: Option<&'a Node>,
        path: &Path,
        seed: S,
    ) -> Result<S::Value, Fault> {
        let reader = self.child(node, path.clone());
        Self::locate(path, node, seed.deserialize(reader))
    }

    fn is_blank(&self) -> bool {
        self.node.is_none()
    }

    /// Adds place and text to whatever reading this value fails with.
    fn locate<T>(path: &Path, node: Option<&Node>, result: Result<T, Fault>) -> Result<T, Fault> {
        result.map_err(|fault| match node.map(|node| &node.kind) {
            Some(Kind::Scalar { written, .. }) => fault.quoting(written).at(path),
            _ => fault.at(path),
        })
    }

    fn run<T>(self, read: impl FnOnce(Self) -> Result<T, Fault>) -> Result<T, Fault> {
        let (path, node) = (self.path.clone(), self.node);
        Self::locate(&path, node, read(self))
    }

    /// The only field of a structure that is written as the value of one key.
    fn short(&self, name: &'static str) -> Option<Field<'a>> {
        let name = name.strip_prefix(FLATTENED)?;
        let node = self.node.filter(|node| matches!(node.kind, Kind::Scalar { .. }))?;
        (!node.is_null()).then_some(Field { name, value: Value::Whole(node) })
    }

    /// The variant that the tag of this mapping chooses; none if the tag is wrong.
    fn tagged(
        &self,
        name: &'static str,
        variants: &'static [&'static str],
    ) -> Result<Option<Variant>, Fault> {
        let path = self.path.key(TAG);
        if self.is_blank() || self.pass.repairs.contains_key(&path) {
            return Ok(None);
        }
        let tag = self.node.and_then(|node| node.get(TAG)).filter(|tag| !tag.is_null());
        let missing = || Fault { path: None, kind: FaultKind::Missing { key: TAG, variant: None } };
        let tag = tag.ok_or_else(missing)?;
        let chosen = match &tag.kind {
            Kind::Scalar { text, .. } => variants
                .iter()
                .find(|variant| *variant == text)
                .ok_or_else(|| de::Error::unknown_variant(text, variants)),
            _ => Err(mismatch(tag, &format!("one of {}", variants.join(", ")))),
        };
        let tag = Self::locate(&path, Some(tag), chosen)?;
        Ok(Some(Variant { of: name, tag }))
    }
}

impl<'de> Deserializer<'de> for Reader<'_> {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.run(|reader| match reader.node.map(|node| &node.kind) {
            None => visitor.visit_unit(),
            Some(Kind::Scalar { text, .. }) => visitor.visit_str(text),
            // A visitor of scalars refuses it.
            Some(Kind::List(items)) => {
                let items = reader.pass.list_items(&reader.path, items)?;
                visitor.visit_seq(Items { reader: &reader, items: items.into_iter() })
            }
            Some(Kind::Map(_)) => Err(de::Error::invalid_type(Unexpected::Map, &visitor)),
        })
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.run(|reader| match reader.node {
            None => visitor.visit_bool(false),
            Some(node) => match &node.kind {
                Kind::Scalar { text, .. } if boolean(text).is_some() => {
                    visitor.visit_bool(boolean(text) == Some(true))
                }
                _ => Err(mismatch(node, "true or false")),
            },
        })
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.node {
            None => visitor.visit_str(""),
            Some(node) if node.is_null() => visitor.visit_str(""),
            Some(_) => self.deserialize_any(visitor),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        if self.is_blank() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        if let Some(Kind::Scalar { text, .. }) = self.node.map(|node| &node.kind)
            && !name.is_empty()
        {
            let mark = Mark { name, path: self.path.clone(), text: text.clone() };
            self.pass.findings.borrow_mut().marks.push(mark);
        }
        self.run(|reader| visitor.visit_newtype_struct(reader))
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.run(|reader| {
            let items = match reader.node {
                // One blank entry, since some lists must not be empty.
                None => vec![(0, None)],
                Some(node) => match &node.kind {
                    Kind::List(items) => reader.pass.list_items(&reader.path, items)?,
                    _ if node.is_null() => Vec::new(),
                    _ => return Err(mismatch(node, "a list")),
                },
            };
            visitor.visit_seq(Items { reader: &reader, items: items.into_iter() })
        })
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.run(|reader| {
            let entries = match reader.node {
                Some(node) if !matches!(node.kind, Kind::Map(_)) && !node.is_null() => {
                    return Err(mismatch(node, "keys and values"));
                }
                node => node.map(Node::entries).unwrap_or_default(),
            };
            let dropped = |entry: &&Entry| {
                let path = reader.path.key(&entry.key);
                reader.pass.repairs.get(&path) != Some(&Repair::Dropped)
            };
            let entries: Vec<&Entry> = entries.iter().filter(dropped).collect();
            visitor.visit_map(Entries { reader: &reader, rest: entries.into_iter(), next: None })
        })
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        names: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        self.run(|reader| {
            if let Some(short) = reader.short(name) {
                let (claims, rest) = (RefCell::new(Claims::default()), vec![short].into_iter());
                let access = Fields { reader: &reader, claims: &claims, rest, next: None };
                return visitor.visit_map(access);
            }
            let entries = match reader.node {
                Some(node) if !matches!(node.kind, Kind::Map(_)) && !node.is_null() => {
                    return Err(mismatch(node, "keys and values"));
                }
                node => node.map(Node::entries).unwrap_or_default(),
            };
            let claims = RefCell::new(Claims::default());
            let fields = reader.pass.fields(&reader.path, entries, names).into_iter();
            let access = Fields { reader: &reader, claims: &claims, rest: fields, next: None };
            let value = visitor.visit_map(access)?;
            match reader.claims {
                Some(outer) => {
                    let inner = claims.borrow();
                    outer.borrow_mut().keys.extend(names.iter().chain(&inner.keys));
                }
                None => reader.pass.report_unknown(&reader.path, entries, names, &claims.borrow()),
            }
            Ok(value)
        })
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        self.run(|reader| {
            if let Some(claims) = reader.claims {
                let variant = reader.tagged(name, variants)?;
                let mut claims = claims.borrow_mut();
                claims.keys.push(TAG);
                claims.any |= variant.is_none();
                claims.variant.clone_from(&variant);
                drop(claims);
                if variant.is_none() {
                    reader.pass.findings.borrow_mut().untagged.insert(reader.path.clone());
                }
                let first = variants.first().copied().unwrap_or_default();
                let tag = variant.as_ref().map_or(first, |variant| variant.tag);
                return visitor.visit_enum(Choice { tag, variant, reader: Some(reader) });
            }
            let tag = match reader.node {
                None => variants.first().copied().unwrap_or_default(),
                Some(node) => match &node.kind {
                    Kind::Scalar { text, .. } => {
                        variants
                            .iter()
                            .find(|variant| *variant == text)
                            .ok_or_else(|| <Fault as de::Error>::unknown_variant(text, variants))?
                    }
                    _ => return Err(mismatch(node, &format!("one of {}", variants.join(", ")))),
                },
            };
            visitor.visit_enum(Choice { tag, variant: None, reader: None })
        })
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char bytes byte_buf unit unit_struct tuple
        tuple_struct identifier ignored_any
    }
}

struct Fields<'r, 'a> {
    reader: &'r Reader<'a>,
    claims: &'r RefCell<Claims>,
    rest: std::vec::IntoIter<Field<'a>>,
    next: Option<Field<'a>>,
}

impl<'de> MapAccess<'de> for Fields<'_, '_> {
    type Error = Fault;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Fault> {
        self.next = self.rest.next();
        let Some(field) = &self.next else { return Ok(None) };
        let key: StrDeserializer<'_, Fault> = field.name.into_deserializer();
        seed.deserialize(key).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Fault> {
        let field = self.next.take().ok_or_else(|| <Fault as de::Error>::custom("no value"))?;
        let path = self.reader.path.key(field.name);
        match field.value {
            Value::Shared => {
                let Reader { pass, node, path, .. } = self.reader;
                let shared =
                    Reader { pass, node: *node, path: path.clone(), claims: Some(self.claims) };
                seed.deserialize(shared)
            }
            Value::Written(node) => self.reader.read_child(Some(node), &path, seed),
            Value::Whole(node) => self.reader.read_child(Some(node), &self.reader.path, seed),
            Value::Blank => self.reader.read_child(None, &path, seed),
        }
    }
}

struct Entries<'r, 'a> {
    reader: &'r Reader<'a>,
    rest: std::vec::IntoIter<&'a Entry>,
    next: Option<&'a Entry>,
}

impl<'de> MapAccess<'de> for Entries<'_, '_> {
    type Error = Fault;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Fault> {
        self.next = self.rest.next();
        let Some(entry) = self.next else { return Ok(None) };
        let key: StrDeserializer<'_, Fault> = entry.key.as_str().into_deserializer();
        seed.deserialize(key).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Fault> {
        let entry = self.next.take().ok_or_else(|| <Fault as de::Error>::custom("no value"))?;
        let path = self.reader.path.key(&entry.key);
        self.reader.read_child(Some(&entry.value), &path, seed)
    }
}

struct Items<'r, 'a> {
    reader: &'r Reader<'a>,
    items: std::vec::IntoIter<(usize, Option<&'a Node>)>,
}

impl<'de> SeqAccess<'de> for Items<'_, '_> {
    type Error = Fault;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Fault> {
        let Some((index, item)) = self.items.next() else { return Ok(None) };
        let path = self.reader.path.index(index);
        self.reader.read_child(item, &path, seed).map(Some)
    }
}

/// A variant of an enumeration, and for a tagged one the mapping that holds its fields.
struct Choice<'a> {
    tag: &'static str,
    variant: Option<Variant>,
    reader: Option<Reader<'a>>,
}

impl<'de> EnumAccess<'de> for Choice<'_> {
    type Error = Fault;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self), Fault> {
        let tag: StrDeserializer<'_, Fault> = self.tag.into_deserializer();
        Ok((seed.deserialize(tag)?, self))
    }
}

impl<'de> VariantAccess<'de> for Choice<'_> {
    type Error = Fault;

    fn unit_variant(self) -> Result<(), Fault> {
        Ok(())
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, Fault> {
        let Some(reader) = self.reader else {
            return Err(de::Error::custom("this value has no fields"));
        };
        let path = reader.path.clone();
        seed.deserialize(reader).map_err(|mut fault| {
            let here = fault.path.as_ref().is_none_or(|at| *at == path);
            if let (true, FaultKind::Missing { variant, .. }) = (here, &mut fault.kind) {
                variant.clone_from(&self.variant);
            }
            fault
        })
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, Fault> {
        Err(de::Error::custom("this value has no fields"))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Fault> {
        Err(de::Error::custom("this value has no fields"))
    }
}
