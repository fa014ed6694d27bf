//! Matches the fields of an old and a new version of a type.

use crate::{Dim, Extent, Field, Schema, Type};
use std::collections::{HashMap, HashSet};

/// For each old field, the index of the matching new one: the one of the same name, otherwise one at the same
/// position with the same type and dimensions.
pub(super) fn pair(old: &Schema, a: &[Field], new: &Schema, b: &[Field]) -> Vec<Option<usize>> {
    let by_name: HashMap<&str, usize> = b.iter().enumerate().map(|(j, f)| (f.name.as_str(), j)).collect();
    let mut pairs: Vec<Option<usize>> = a.iter().map(|f| by_name.get(f.name.as_str()).copied()).collect();
    let mut taken = vec![false; b.len()];
    for j in pairs.iter().flatten() {
        taken[*j] = true;
    }
    for i in 0..a.len() {
        if pairs[i].is_some() {
            continue;
        }
        // The same position: after the same field as before, or before the same one.
        let behind = if i == 0 { Some(0) } else { pairs[i - 1].map(|j| j + 1) };
        let before = match pairs.get(i + 1) {
            Some(next) => next.and_then(|j| j.checked_sub(1)),
            None => b.len().checked_sub(1),
        };
        let fits =
            |j: &usize| !taken.get(*j).copied().unwrap_or(true) && alike(old, &a[i], new, &b[*j], &pairs);
        if let Some(j) = behind.into_iter().chain(before).find(fits) {
            pairs[i] = Some(j);
            taken[j] = true;
        }
    }
    pairs
}

/// Whether a field could be the other one, renamed.
fn alike(old: &Schema, a: &Field, new: &Schema, b: &Field, pairs: &[Option<usize>]) -> bool {
    let same = |(x, y): (&Dim, &Dim)| match (x.extent, y.extent) {
        (Extent::Fixed(m), Extent::Fixed(n)) => m == n,
        (Extent::Variable(m), Extent::Variable(n)) => pairs.get(m) == Some(&Some(n)),
        _ => false,
    };
    same_type(old, a.ty, new, b.ty) && a.dims.len() == b.dims.len() && a.dims.iter().zip(&b.dims).all(same)
}

/// Whether two types are versions of each other: the same primitive, enums of one name (which is what is hashed),
/// or structs with the same name or a field in common.
pub(super) fn same_type(old: &Schema, a: Type, new: &Schema, b: Type) -> bool {
    match (a, b) {
        (Type::Primitive(a), Type::Primitive(b)) => a == b,
        (Type::Enum(a), Type::Enum(b)) => old.get_enum(a).fingerprint == new.get_enum(b).fingerprint,
        (Type::Struct(a), Type::Struct(b)) => {
            let (a, b) = (old.get(a), new.get(b));
            let common = || {
                let names: HashSet<&str> = a.fields.iter().map(|f| f.name.as_str()).collect();
                b.fields.iter().any(|f| names.contains(f.name.as_str()))
            };
            a.name.name == b.name.name || a.fingerprint == b.fingerprint || common()
        }
        _ => false,
    }
}

/// Which of the old fields have moved: as few as possible, so that the others have kept their order.
pub(super) fn moved(pairs: &[Option<usize>]) -> Vec<bool> {
    // The longest increasing run of new positions. For each length, the old field that ends such a run lowest; for
    // each old field, the one before it in its run.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = vec![None; pairs.len()];
    for (i, j) in pairs.iter().enumerate().filter(|(_, j)| j.is_some()) {
        let length = ends.partition_point(|&end| pairs[end] < *j);
        before[i] = length.checked_sub(1).map(|l| ends[l]);
        if length == ends.len() { ends.push(i) } else { ends[length] = i }
    }
    let mut moved: Vec<bool> = pairs.iter().map(Option::is_some).collect();
    let mut at = ends.last().copied();
    while let Some(i) = at {
        moved[i] = false;
        at = before[i];
    }
    moved
}
