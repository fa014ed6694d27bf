//! The modules of a crate, and the names that each file uses from others.

use crate::run::read;
use crate::source::{self, Kind, Token};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// For each file, the files that it needs, with the names that it uses from each.
pub type Needs = BTreeMap<PathBuf, BTreeMap<PathBuf, BTreeSet<String>>>;

/// The needs between the files of one program or library, from its root file on. Declarations alone (`mod x;`, `pub
/// use x::Y;`) need nothing; a re-exported name counts for the file that defines it.
pub fn needs(root: &Path) -> Result<Needs, String> {
    let mut tree = Tree::default();
    tree.read(root, None, root.parent().unwrap_or(root))?;
    let mut needs = Needs::new();
    for module in 0..tree.modules.len() {
        for (file, name) in tree.taken(module) {
            let from = tree.modules[module].file;
            if file != from {
                let to = needs.entry(tree.files[from].clone()).or_default();
                to.entry(tree.files[file].clone()).or_default().insert(name);
            }
        }
    }
    Ok(needs)
}

/// The target of a path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Found {
    /// A module of this crate.
    Module(usize),
    /// An item of a file, and its name.
    Item(usize, String),
    /// Another crate, or a name without a visible declaration.
    Outside,
}

/// A `use`: its local name, its path, and whether others may use it from here.
struct Import {
    name: String,
    path: Vec<String>,
    handed_on: bool,
}

#[derive(Default)]
struct Module {
    file: usize,
    parent: Option<usize>,
    children: BTreeMap<String, usize>,
    items: BTreeSet<String>,
    imports: Vec<Import>,
    globs: Vec<Vec<String>>,
    /// All tokens except the modules inside it and its `use` declarations.
    body: Vec<Token>,
}

#[derive(Default)]
struct Tree {
    files: Vec<PathBuf>,
    modules: Vec<Module>,
    /// The files that define a macro of this name.
    macros: BTreeMap<String, BTreeSet<usize>>,
}

impl Tree {
    /// Reads a file as a module whose children are in `dir`.
    fn read(&mut self, file: &Path, parent: Option<usize>, dir: &Path) -> Result<usize, String> {
        let text = read(file)?;
        let (code, _) = source::apart(&source::tokens(&text));
        self.files.push(file.to_path_buf());
        let file = self.files.len() - 1;
        self.module(&code, file, parent, dir)
    }

    /// Reads the tokens of a module, and the modules in it.
    fn module(
        &mut self,
        code: &[Token],
        file: usize,
        parent: Option<usize>,
        dir: &Path,
    ) -> Result<usize, String> {
        let this = self.modules.len();
        self.modules.push(Module { file, parent, ..Module::default() });
        let word = |at: usize| code.get(at).filter(|token| token.kind == Kind::Word);
        let (mut at, mut depth, mut path) = (0, 0, None);
        while let Some(token) = code.get(at) {
            let next = word(at + 1).map(|token| token.text.clone());
            let mut end = at + 1;
            match (token.text.as_str(), token.kind) {
                ("{" | "(" | "[", Kind::Mark) => depth += 1,
                ("}" | ")" | "]", Kind::Mark) => depth -= 1,
                ("path", Kind::Word) if at > 0 && code[at - 1].is("[") => {
                    path = code.get(at + 2).filter(|token| token.kind == Kind::Text).map(|t| t.text.clone());
                }
                ("use", Kind::Word) if !code.get(at + 1).is_some_and(|token| token.is("<")) => {
                    end = at + code[at..].iter().take_while(|token| !token.is(";")).count() + 1;
                    // `pub` or `pub(…)` before it.
                    let handed_on = depth == 0 && at > 0 && (code[at - 1].is("pub") || code[at - 1].is(")"));
                    let last = end.min(code.len()).saturating_sub(1).max(at + 1);
                    self.imports(this, &code[at + 1..last], Vec::new(), handed_on);
                }
                ("mod", Kind::Word) if depth == 0 && next.is_some() => {
                    let name = next.unwrap_or_default();
                    let below = dir.join(&name);
                    let child = if code.get(at + 2).is_some_and(|token| token.is("{")) {
                        end = source::group_end(code, at + 2) + 1;
                        let inside = (at + 3).min(end - 1);
                        self.module(&code[inside..end - 1], file, Some(this), &below)?
                    } else {
                        end = at + 3;
                        self.read_child(&name, this, dir, path.take())?
                    };
                    self.modules[this].children.insert(name, child);
                }
                ("macro_rules", Kind::Word) => {
                    if let Some(name) = word(at + 2) {
                        self.macros.entry(name.text.clone()).or_default().insert(file);
                        self.modules[this].items.insert(name.text.clone());
                    }
                    end = source::group_end(code, at + 3) + 1;
                }
                ("fn" | "struct" | "enum" | "union" | "trait" | "type" | "const" | "static", Kind::Word)
                    if depth == 0 =>
                {
                    let name = if next.as_deref() == Some("mut") { word(at + 2) } else { word(at + 1) };
                    if let Some(name) =
                        name.filter(|name| !["fn", "unsafe", "extern"].contains(&name.text.as_str()))
                    {
                        self.modules[this].items.insert(name.text.clone());
                    }
                }
                _ => {}
            }
            let skipped = ["use", "mod"].iter().any(|skipped| token.is(skipped)) && end > at + 1;
            if !skipped {
                self.modules[this].body.extend_from_slice(&code[at..end.min(code.len())]);
            }
            at = end;
        }
        Ok(this)
    }

    /// Reads the file of `mod name;`.
    fn read_child(
        &mut self,
        name: &str,
        parent: usize,
        dir: &Path,
        path: Option<String>,
    ) -> Result<usize, String> {
        if let Some(path) = path {
            let module = &self.modules[parent];
            let inline = module.parent.is_some_and(|outer| self.modules[outer].file == module.file);
            let beside =
                if inline { dir } else { self.files[module.file].parent().unwrap_or(dir) }.join(path);
            let below = beside.parent().unwrap_or(dir).to_path_buf();
            return self.read(&beside, Some(parent), &below);
        }
        let (flat, nested) = (dir.join(format!("{name}.rs")), dir.join(name).join("mod.rs"));
        let file = if flat.is_file() { flat } else { nested };
        self.read(&file, Some(parent), &dir.join(name))
    }

    /// Records the names that a `use` imports: `tokens` is a tree of paths, below `start`.
    fn imports(&mut self, module: usize, tokens: &[Token], start: Vec<String>, handed_on: bool) {
        let mut path = start;
        for (at, token) in tokens.iter().enumerate() {
            match token.text.as_str() {
                "::" if at == 0 => path.push("::".into()),
                "::" => {}
                "{" => {
                    let inside = &tokens[at + 1..source::group_end(tokens, at)];
                    for part in parts(inside) {
                        self.imports(module, part, path.clone(), handed_on);
                    }
                    return;
                }
                "*" => {
                    self.modules[module].globs.push(path);
                    return;
                }
                "as" => {
                    let name = tokens.get(at + 1).map(|token| token.text.clone()).unwrap_or_default();
                    self.modules[module].imports.push(Import { name, path, handed_on });
                    return;
                }
                // `{self, …}` names the module itself.
                "self" if !path.is_empty() => {}
                _ => path.push(token.text.clone()),
            }
        }
        if let Some(name) = path.last().cloned() {
            self.modules[module].imports.push(Import { name, path, handed_on });
        }
    }

    /// The target of a path, from a module.
    fn resolve(
        &self,
        module: usize,
        path: &[String],
        seen: &mut BTreeSet<(usize, String)>,
    ) -> BTreeSet<Found> {
        let mut found = match path[0].as_str() {
            "crate" => BTreeSet::from([Found::Module(self.root(module))]),
            "self" => BTreeSet::from([Found::Module(module)]),
            "super" => BTreeSet::from([self.parent(module)]),
            first => self.lookup(module, first, seen),
        };
        for step in &path[1..] {
            // The module is the target if more of the path follows, even if a function has its name.
            if found.iter().any(|found| matches!(found, Found::Module(_))) {
                found.retain(|found| matches!(found, Found::Module(_)));
            }
            let each = found.into_iter().flat_map(|found| match found {
                Found::Module(at) if step == "super" => BTreeSet::from([self.parent(at)]),
                Found::Module(at) => {
                    let there = self.lookup(at, step, seen);
                    // Defined by a macro there, as far as can be seen.
                    if there.is_empty() {
                        [Found::Item(self.modules[at].file, step.clone())].into()
                    } else {
                        there
                    }
                }
                other => BTreeSet::from([other]),
            });
            found = each.collect();
        }
        if found.is_empty() { BTreeSet::from([Found::Outside]) } else { found }
    }

    /// The meaning of a name in a module: a definition, declaration or import; `None` if none is visible.
    fn lookup(&self, at: usize, name: &str, seen: &mut BTreeSet<(usize, String)>) -> BTreeSet<Found> {
        if !seen.insert((at, name.into())) {
            return BTreeSet::from([Found::Outside]);
        }
        let module = &self.modules[at];
        let mut found = BTreeSet::new();
        if module.items.contains(name) {
            found.insert(Found::Item(module.file, name.into()));
        }
        if let Some(child) = module.children.get(name) {
            found.insert(Found::Module(*child));
        }
        for import in module.imports.iter().filter(|import| import.name == name) {
            found.extend(self.resolve(at, &import.path, seen));
        }
        if found.is_empty() {
            for glob in &module.globs {
                for from in self.resolve(at, glob, seen) {
                    if let Found::Module(from) = from {
                        found.extend(self.lookup(from, name, seen));
                    }
                }
            }
        }
        seen.remove(&(at, name.into()));
        found
    }

    fn root(&self, mut module: usize) -> usize {
        while let Some(parent) = self.modules[module].parent {
            module = parent;
        }
        module
    }

    fn parent(&self, module: usize) -> Found {
        self.modules[module].parent.map_or(Found::Outside, Found::Module)
    }

    /// The names that a module uses: file and name.
    fn taken(&self, at: usize) -> BTreeSet<(usize, String)> {
        let module = &self.modules[at];
        let mut found = BTreeSet::new();
        let resolve = |path: &[String]| self.resolve(at, path, &mut BTreeSet::new());
        for import in &module.imports {
            let there = resolve(&import.path);
            let is_module = there.iter().any(|found| matches!(found, Found::Module(_)));
            let needed = if is_module { module.calls(&import.name) } else { !import.handed_on };
            if needed || !is_module && module.uses(&import.name) {
                found.extend(there);
            }
        }
        for glob in &module.globs {
            // The variants of an enum, or what a module has.
            for from in resolve(glob) {
                let Found::Module(from) = from else {
                    found.insert(from);
                    continue;
                };
                for name in module.free_names() {
                    let own = module.items.contains(name)
                        || module.imports.iter().any(|import| import.name == name);
                    if !own && module.uses(name) {
                        found.extend(self.lookup(from, name, &mut BTreeSet::new()));
                    }
                }
            }
        }
        for path in module.paths() {
            let there = resolve(&path);
            let is_module = there.iter().any(|found| matches!(found, Found::Module(_)));
            if !is_module || path.last().is_some_and(|name| module.calls(name)) {
                found.extend(there);
            }
        }
        for (n, token) in module.body.iter().enumerate() {
            let called = module.body.get(n + 1).is_some_and(|next| next.is("!"));
            let files = self.macros.get(&token.text).filter(|_| called && token.kind == Kind::Word);
            if let Some(files) = files.filter(|files| !files.contains(&module.file)) {
                found.extend(files.iter().map(|file| Found::Item(*file, token.text.clone())));
            }
        }
        let items = found.into_iter().filter_map(|found| match found {
            Found::Item(file, name) => Some((file, name)),
            _ => None,
        });
        items.collect()
    }
}

impl Module {
    /// Words that do not continue a longer path, and are not members.
    fn free_names(&self) -> BTreeSet<&str> {
        let free = self.body.iter().enumerate().filter(|(at, token)| {
            let before = at.checked_sub(1).map(|at| &self.body[at]);
            token.kind == Kind::Word
                && !before.is_some_and(|b| b.is(".") || b.is("::") || b.is("fn") || b.is("let"))
        });
        free.map(|(_, token)| token.text.as_str()).collect()
    }

    /// Whether a name is used here. A lower-case name counts if it is called or starts a path, since variables are
    /// named the same way.
    fn uses(&self, name: &str) -> bool {
        let small = name.starts_with(|first: char| first.is_lowercase());
        self.body.iter().enumerate().any(|(at, token)| {
            let before = at.checked_sub(1).map(|at| &self.body[at]);
            let behind = self.body.get(at + 1);
            token.kind == Kind::Word
                && token.text == name
                && !before.is_some_and(|b| b.is(".") || b.is("::") || b.is("fn") || b.is("let"))
                && (!small || behind.is_some_and(|next| next.is("(") || next.is("::")))
        })
    }

    /// Whether a function is called by this name.
    fn calls(&self, name: &str) -> bool {
        self.body.windows(2).any(|pair| pair[0].is(name) && pair[1].is("("))
    }

    /// Paths of more than one word in the body.
    fn paths(&self) -> BTreeSet<Vec<String>> {
        let mut paths = BTreeSet::new();
        let mut at = 0;
        while at < self.body.len() {
            let from = at;
            at += 1;
            if self.body[from].kind != Kind::Word || from > 0 && self.body[from - 1].kind == Kind::Sep {
                continue;
            }
            let mut path = vec![self.body[from].text.clone()];
            while let [sep, word, ..] = &self.body[at..] {
                if sep.kind != Kind::Sep || word.kind != Kind::Word {
                    break;
                }
                path.push(word.text.clone());
                at += 2;
            }
            if path.len() > 1 {
                paths.insert(path);
            }
        }
        paths
    }
}

/// The parts of a group, separated by commas.
fn parts(tokens: &[Token]) -> Vec<&[Token]> {
    let (mut parts, mut from, mut at) = (Vec::new(), 0, 0);
    while at < tokens.len() {
        match tokens[at].text.as_str() {
            "{" => at = source::group_end(tokens, at),
            "," => {
                parts.push(&tokens[from..at]);
                from = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    parts.push(&tokens[from.min(tokens.len())..]);
    parts.retain(|part| !part.is_empty());
    parts
}
