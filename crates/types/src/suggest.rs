//! "Did you mean": the known name nearest to an unknown one.

use crate::schema::TypeName;

/// Longest name compared; the comparison takes the product of both lengths.
const LONGEST: usize = 64;
/// Most names compared.
const MOST: usize = 1000;

/// The name among `known` of which `name` is most probably a misspelling. `None` if none is near, or if the name is
/// too long to compare.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > LONGEST {
        return None;
    }
    let lower = name.to_lowercase();
    let distance = |known: &str| strsim::damerau_levenshtein(&known.to_lowercase(), &lower);
    let comparable = known.into_iter().filter(|k| k.len() <= LONGEST).take(MOST);
    let (distance, nearest) = comparable.map(|k| (distance(k), k)).min()?;
    (distance <= name.len().div_ceil(3)).then_some(nearest)
}

/// The same for a type: `known` are full names, and `name` may lack its package, or have another.
pub(crate) fn nearest_type<'a>(name: &str, known: impl IntoIterator<Item = &'a TypeName>) -> Option<String> {
    let known: Vec<(String, &TypeName)> = known.into_iter().take(MOST).map(|n| (n.to_string(), n)).collect();
    let full = nearest(name, known.iter().map(|(full, _)| full.as_str())).map(String::from);
    let short = name.rsplit('.').next().unwrap_or(name);
    full.or_else(|| {
        let found = nearest(short, known.iter().map(|(_, n)| n.name.as_str()))?;
        known.iter().find(|(_, n)| n.name == found).map(|(full, _)| full.clone())
    })
}
