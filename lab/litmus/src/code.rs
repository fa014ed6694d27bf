//! The map from the lines of litmus tests to those of the code.

use crate::program::{Action, Mistake, Order, Program, Step};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The crates whose orderings must all be in the map.
const CRATES: [&str; 2] = ["ring", "channel"];

/// A piece of code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Below `crates`.
    pub file: String,
    /// The function's name.
    pub function: String,
    /// A piece of its code, with one ordering.
    pub code: String,
}

/// An ordering in the code that is stronger than the tests need.
#[derive(Clone, Debug)]
pub struct Spare {
    /// The line of code.
    pub id: String,
    /// What would be enough.
    pub to: Order,
    /// Unless this one, which is spare too, is weakened instead.
    pub unless: Option<String>,
    /// Why.
    pub why: String,
}

/// The map.
#[derive(Clone, Debug, Default)]
pub struct Map {
    /// In the order of the file.
    pub places: Vec<(String, Place)>,
    /// Orderings that concern no other process, and why.
    pub apart: Vec<(Place, String)>,
    /// Orderings that are stronger than needed.
    pub spare: Vec<Spare>,
}

impl Map {
    /// Reads `code.map`.
    pub fn parse(file: &str, text: &str) -> Result<Map, Mistake> {
        let mut map = Map::default();
        for (i, line) in text.lines().enumerate() {
            let mistake = |what: &str| Mistake { file: file.into(), line: i + 1, what: what.into() };
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if let Some(spare) = line.strip_prefix("spare ") {
                let read = || {
                    let (what, why) = spare.split_once(':')?;
                    let (id, to) = what.split_once(" to ")?;
                    let (to, unless) = match to.split_once(" unless ") {
                        Some((to, unless)) => (to, Some(unless.trim().to_string())),
                        None => (to, None),
                    };
                    let (id, why) = (id.trim().to_string(), why.trim().to_string());
                    Some(Spare { id, to: order_named(to.trim())?, unless, why })
                };
                map.spare.push(read().ok_or_else(|| {
                    mistake("expected `spare ID to ORDERING: WHY` or `spare ID to ORDERING unless ID: WHY`")
                })?);
                continue;
            }
            let parts: Vec<String> = line.split(" | ").map(|part| part.trim().to_string()).collect();
            let place = |file: &String, function: &String, code: &String| {
                let (file, function, code) = (file.clone(), function.clone(), code.clone());
                Place { file, function, code }
            };
            match &parts[..] {
                [apart, file, function, code, why] if apart == "apart" => {
                    map.apart.push((place(file, function, code), why.clone()));
                }
                [id, file, function, code] => {
                    if map.place(id).is_some() {
                        return Err(mistake("this name is in the map already"));
                    }
                    map.places.push((id.clone(), place(file, function, code)));
                }
                _ => return Err(mistake("expected `ID | FILE | FUNCTION | CODE`")),
            }
        }
        Ok(map)
    }

    /// The place with this name.
    pub fn place(&self, id: &str) -> Option<&Place> {
        self.places.iter().find(|(known, _)| known == id).map(|(_, place)| place)
    }
}

impl Place {
    /// The ordering that the code names first; Relaxed if it names none.
    pub fn order(&self) -> Order {
        orders_in(&self.code).first().map_or(Order::Relaxed, |(_, order)| *order)
    }
    /// Whether `step` is the kind of step that the code takes.
    fn is_a(&self, step: &Step) -> bool {
        let action = match step {
            Step::Fence => return self.code.contains("fence("),
            Step::Access { action, .. } => action,
            _ => return false,
        };
        let call = match action {
            Action::Load => ".load(",
            Action::Store(_) => ".store(",
            Action::Add(_) => ".fetch_add(",
            Action::Max(_) => ".fetch_max(",
            Action::Swap(_) => ".swap(",
            Action::Replace(..) => ".replace(",
        };
        self.code.contains(call)
    }
}

fn order_named(name: &str) -> Option<Order> {
    use Order::*;
    [None, Relaxed, Acquire, Release, AcqRel, SeqCst].into_iter().find(|order| order.name() == name)
}

/// The orderings that a piece of code names, with their positions.
fn orders_in(code: &str) -> Vec<(usize, Order)> {
    let mut found = Vec::new();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut at = 0;
    for word in code.split(|c| !is_word(c)) {
        if let Some(order) = order_named(word) {
            found.push((at, order));
        }
        at += word.len() + code[at + word.len()..].chars().next().map_or(0, char::len_utf8);
    }
    found
}

/// The code of a file by function, without comments, `use` and tests; blanks are single.
fn functions(text: &str) -> BTreeMap<String, String> {
    let mut functions: BTreeMap<String, String> = BTreeMap::new();
    let mut here = String::new();
    let mut in_use = false;
    for line in text.lines() {
        if line.trim() == "#[cfg(test)]" {
            break; // tests are the end of each file
        }
        let code = without_comment(line).trim();
        in_use = in_use || code.starts_with("use ") || code.starts_with("pub use ");
        if in_use {
            in_use = !code.ends_with(';');
            continue;
        }
        if let Some(at) = code.find("fn ").filter(|at| *at == 0 || code[..*at].ends_with([' ', '('])) {
            let name: String =
                code[at + 3..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            if !name.is_empty() {
                here = name;
            }
        }
        if !code.is_empty() {
            let body = functions.entry(here.clone()).or_default();
            body.push_str(code);
            body.push(' ');
        }
    }
    functions
}

/// A line up to its comment. `//` behind a colon is a URL.
fn without_comment(line: &str) -> &str {
    let mut from = 0;
    while let Some(at) = line[from..].find("//").map(|at| at + from) {
        if !line[..at].ends_with(':') {
            return &line[..at];
        }
        from = at + 2;
    }
    line
}

/// The code of a function.
struct Function {
    body: String,
    /// The orderings in it, with their positions, and whether the map has them.
    orders: Vec<(usize, Order, bool)>,
}

/// Compares the map with the code below `crates`, and with the tests. Returns the disagreements.
pub fn disagreements(map: &Map, crates: &Path, programs: &[Program]) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut code: BTreeMap<(String, String), Function> = BTreeMap::new();
    for file in sources(crates) {
        let name = file.strip_prefix(crates).unwrap_or(&file).display().to_string();
        match std::fs::read_to_string(&file) {
            Ok(text) => {
                for (function, body) in functions(&text) {
                    let orders = orders_in(&body).into_iter().map(|(at, order)| (at, order, false)).collect();
                    code.insert((name.clone(), function), Function { body, orders });
                }
            }
            Err(e) => wrong.push(format!("cannot read {}: {e}", file.display())),
        }
    }
    let places = map.places.iter().map(|(_, place)| place).chain(map.apart.iter().map(|(place, _)| place));
    for place in places {
        let Some(Function { body, orders }) = code.get_mut(&(place.file.clone(), place.function.clone()))
        else {
            wrong.push(format!("code.map: {} has no function `{}`", place.file, place.function));
            continue;
        };
        let found: Vec<usize> = body.match_indices(&place.code).map(|(at, _)| at).collect();
        let [at] = found[..] else {
            wrong.push(format!(
                "code.map: {} has `{}` {} times in `{}`, expected once",
                place.file,
                place.code,
                found.len(),
                place.function
            ));
            continue;
        };
        for (position, _, covered) in orders.iter_mut() {
            if (at..at + place.code.len()).contains(position) {
                if *covered {
                    wrong.push(format!("code.map: `{}` of {} is there twice", place.code, place.file));
                }
                *covered = true;
            }
        }
    }
    for ((file, function), Function { body, orders }) in &code {
        for (at, order, covered) in orders {
            if *order != Order::Relaxed && !covered {
                let from = body[..*at].rfind(['{', ';', '}']).map_or(0, |at| at + 1);
                let to = body[*at..].find([';', '{']).map_or(body.len(), |end| at + end);
                wrong.push(format!(
                    "{file}: `{}` in `{function}` has no line in a litmus test: add it to code.map, and a test, or say there why it needs none",
                    body[from..to].trim()
                ));
            }
        }
    }
    wrong.extend(lines_that_differ(map, programs));
    wrong
}

/// Lines of tests that are not as the code is, and lines of code without a test.
fn lines_that_differ(map: &Map, programs: &[Program]) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut used = std::collections::BTreeSet::new();
    for program in programs {
        for (_, _, line) in program.lines() {
            let Some(id) = &line.code else { continue };
            used.insert(id.clone());
            match map.place(id) {
                None => wrong
                    .push(format!("{}: `{}` names `{id}`, which code.map lacks", program.name, line.text)),
                Some(place) if place.order() != line.order => wrong.push(format!(
                    "{}: `{}` is {}, but {} has `{}`",
                    program.name,
                    line.text,
                    line.order.name(),
                    place.file,
                    place.code
                )),
                Some(place) if !place.is_a(&line.step) => {
                    wrong.push(format!("{}: `{}` is not what `{}` does", program.name, line.text, place.code))
                }
                Some(_) => {}
            }
        }
    }
    for (id, place) in &map.places {
        if !used.contains(id) {
            wrong.push(format!("code.map: no litmus test has a line for {id}: `{}`", place.code));
        }
    }
    for spare in &map.spare {
        if map.place(&spare.id).is_none() {
            wrong.push(format!("code.map: `spare {}` names no line", spare.id));
        }
    }
    wrong
}

/// The source files of the crates.
fn sources(crates: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut open: Vec<PathBuf> = CRATES.iter().map(|name| crates.join(name).join("src")).collect();
    while let Some(dir) = open.pop() {
        for entry in std::fs::read_dir(&dir).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|ext| ext == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orderings_are_found_in_code_and_nowhere_else() {
        let text = "use x::Acquire;\nuse y::{\n    Release,\n};\n// Acquire\nfn a(&self) {\n    x.load(A, Acquire); // Release\n}\n\
                    pub(crate) fn b() {\n    x.store(\n        1,\n        Release,\n    );\n    y(\"shm://\", SeqCst);\n}\n#[cfg(test)]\nmod tests { AcqRel }";
        let found = functions(text);
        let orders = |name: &str| {
            let orders = orders_in(&found[name]);
            orders.into_iter().map(|(_, order)| order).collect::<Vec<_>>()
        };
        assert_eq!(found.keys().collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!((orders("a"), orders("b")), (vec![Order::Acquire], vec![Order::Release, Order::SeqCst]));
        assert!(found["b"].contains("x.store( 1, Release, )"));
    }
}
