//! The types to generate code for.

use saltus_types::{EnumId, Loaded, Schema, StructId, Type, TypeName};
use std::collections::BTreeSet;

/// Types of a schema. From structs only, or from everything that the named files declare.
#[derive(Clone, Copy, Debug, Default)]
pub struct Types<'a> {
    /// The structs.
    pub structs: &'a [StructId],
    /// The enums. Those of the structs' fields are generated in any case.
    pub enums: &'a [EnumId],
}

impl Types<'_> {
    /// The enums, and those of the structs' fields.
    pub(crate) fn all_enums(&self, schema: &Schema) -> BTreeSet<EnumId> {
        let fields = self.structs.iter().flat_map(|&id| &schema.get(id).fields);
        let theirs = fields.filter_map(|f| if let Type::Enum(id) = f.ty { Some(id) } else { None });
        self.enums.iter().copied().chain(theirs).collect()
    }
    /// The names of all of them.
    pub(crate) fn names<'s>(&self, schema: &'s Schema) -> impl Iterator<Item = &'s TypeName> {
        let enums = self.all_enums(schema).into_iter().map(|id| &schema.get_enum(id).name);
        self.structs.iter().map(|&id| &schema.get(id).name).chain(enums)
    }
    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.structs.is_empty() && self.enums.is_empty()
    }
}

impl<'a> From<&'a Loaded> for Types<'a> {
    fn from(loaded: &'a Loaded) -> Types<'a> {
        Types { structs: &loaded.named, enums: &loaded.named_enums }
    }
}
impl<'a> From<&'a [StructId]> for Types<'a> {
    fn from(structs: &'a [StructId]) -> Types<'a> {
        Types { structs, enums: &[] }
    }
}
impl<'a> From<&'a Vec<StructId>> for Types<'a> {
    fn from(structs: &'a Vec<StructId>) -> Types<'a> {
        structs.as_slice().into()
    }
}
impl<'a, const N: usize> From<&'a [StructId; N]> for Types<'a> {
    fn from(structs: &'a [StructId; N]) -> Types<'a> {
        structs.as_slice().into()
    }
}
