//! Finds and reads type files.

use crate::diagnostic::{Diagnostic, Diagnostics, Severity};
use crate::parser;
use crate::resolve;
use crate::schema::{EnumId, Primitive, Schema, StructId, TypeName};
use crate::source::{Source, Sources};
use crate::suggest::nearest_type;
use crate::syntax::{File, Struct};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

/// The result of [`Loader::load`].
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The types of the named files, and those that they refer to.
    pub schema: Schema,
    /// The structs of the named files, and those requested.
    pub named: Vec<StructId>,
    /// The enums, in the same way.
    pub named_enums: Vec<EnumId>,
    /// The files that the schema comes from.
    pub files: Vec<PathBuf>,
    /// Warnings; no errors.
    pub warnings: Diagnostics,
}

/// Parses one text.
///
/// # Errors
/// All errors in it, including references to types that it does not declare.
pub fn parse(path: impl Into<PathBuf>, text: &str) -> Result<Schema, Diagnostics> {
    Loader::new().text(path, text).load().map(|loaded| loaded.schema)
}

/// Reads files, and searches their directories for the types that they refer to. See [`Loader`].
///
/// # Errors
/// All errors in them.
pub fn load<P: Into<PathBuf>>(files: impl IntoIterator<Item = P>) -> Result<Schema, Diagnostics> {
    files.into_iter().fold(Loader::new(), Loader::file).load().map(|loaded| loaded.schema)
}

/// The files to read, and where to search for the types that they refer to.
///
/// A type that no named file declares is searched for in the `.lcm` files of the include directories, including
/// subdirectories, in the order of their names; then in the directories of the named files, without subdirectories.
/// The first file that declares it is used, and only the types needed from it; a warning is given if another file
/// declares it differently.
#[derive(Clone, Debug, Default)]
pub struct Loader {
    texts: Vec<(PathBuf, Option<String>)>,
    include: Vec<PathBuf>,
    wanted: Vec<String>,
}

/// Most files searched for types, and most levels of directories.
const MOST_FILES: usize = 20_000;
const DEEPEST: usize = 16;
/// Most errors and warnings reported.
const MAX_REPORTED: usize = 100;

impl Loader {
    /// A loader without files.
    pub fn new() -> Loader {
        Loader::default()
    }
    /// A file to read.
    #[must_use]
    pub fn file(mut self, path: impl Into<PathBuf>) -> Loader {
        self.texts.push((path.into(), None));
        self
    }
    /// A text to read; messages refer to it as `path`.
    #[must_use]
    pub fn text(mut self, path: impl Into<PathBuf>, text: impl Into<String>) -> Loader {
        self.texts.push((path.into(), Some(text.into())));
        self
    }
    /// A directory to search.
    #[must_use]
    pub fn include(mut self, dir: impl Into<PathBuf>) -> Loader {
        self.include.push(dir.into());
        self
    }
    /// A requested type, by its full name, or by its short name if that is unique. It counts as named.
    #[must_use]
    pub fn want(mut self, name: impl Into<String>) -> Loader {
        self.wanted.push(name.into());
        self
    }

    /// Reads everything. Blocks on the file system; memory is proportional to the files' sizes.
    ///
    /// # Errors
    /// All errors, in all files.
    pub fn load(self) -> Result<Loaded, Diagnostics> {
        let mut work = Work::default();
        let mut named = HashSet::new();
        for (path, text) in &self.texts {
            match text {
                Some(text) => work.add(Source::new(path, text.as_bytes())),
                None if !work.read.insert(real(path)) => continue,
                None => match read(path) {
                    Ok(source) => work.add(source),
                    Err(why) => {
                        work.diagnostics.push(Diagnostic::general(why));
                        continue;
                    }
                },
            }
            named.extend(declared(work.files.last().unwrap_or(&File::default())));
        }
        for wanted in &self.wanted {
            match self.find_wanted(&mut work, wanted, &named) {
                Ok(name) => {
                    named.insert(name);
                }
                Err(why) => work.diagnostics.push(why),
            }
        }
        self.pull_references(&mut work);
        let schema = resolve::resolve(&work.files, &mut work.diagnostics);
        let diagnostics = Diagnostics { sources: work.sources, list: limited(work.diagnostics) };
        if diagnostics.has_errors() {
            return Err(diagnostics);
        }
        let used: BTreeSet<u32> = work.used.into_iter().collect();
        let files =
            used.iter().filter_map(|&f| diagnostics.sources.get(f)).map(|s| s.path().into()).collect();
        let structs = schema.ids().filter(|&id| named.contains(&schema.get(id).name)).collect();
        let enums = (0..schema.enums().len()).map(EnumId);
        let enums = enums.filter(|&id| named.contains(&schema.get_enum(id).name)).collect();
        Ok(Loaded { schema, named: structs, named_enums: enums, files, warnings: diagnostics })
    }

    /// Adds types that are referred to and not declared yet, until everything that can be found is.
    fn pull_references(&self, work: &mut Work) {
        let mut looked = 0;
        while looked < work.files.len() {
            let known: HashSet<TypeName> = work.files.iter().flat_map(declared).collect();
            let missing: Vec<TypeName> =
                referred(&work.files[looked]).into_iter().filter(|name| !known.contains(name)).collect();
            if missing.is_empty() {
                looked += 1;
                continue;
            }
            work.search(self);
            let found = missing.iter().filter(|name| work.pull(name)).count();
            if found == 0 {
                looked += 1;
            }
        }
    }

    fn find_wanted(
        &self,
        work: &mut Work,
        wanted: &str,
        named: &HashSet<TypeName>,
    ) -> Result<TypeName, Diagnostic> {
        let full = TypeName::of(wanted);
        if named.contains(&full) {
            return Ok(full);
        }
        let mut short: BTreeSet<TypeName> = named.iter().filter(|n| n.name == wanted).cloned().collect();
        if short.is_empty() {
            work.search(self);
            if work.pull(&full) {
                return Ok(full);
            }
            short = work.elsewhere.keys().filter(|n| n.name == wanted).cloned().collect();
        }
        match short.len() {
            1 => short.first().cloned().inspect(|name| {
                work.pull(name);
            }),
            _ => None,
        }
        .ok_or_else(|| {
            let error = Diagnostic::general(format!("there is no type `{wanted}`"));
            if short.len() > 1 {
                let all: Vec<String> = short.iter().map(|n| format!("`{n}`")).collect();
                let error = Diagnostic::general(format!("there are several types `{wanted}`"));
                return error.help(format!("say which: {}", all.join(", ")));
            }
            match nearest_type(wanted, named.iter().chain(work.elsewhere.keys())) {
                Some(name) => error.help(format!("did you mean `{name}`?")),
                None => error.help("name the file that declares it, or its directory with `-I`"),
            }
        })
    }
}

#[derive(Default)]
struct Work {
    sources: Sources,
    diagnostics: Vec<Diagnostic>,
    /// The files of the schema.
    files: Vec<File>,
    /// Indices of the sources of `files`.
    used: Vec<u32>,
    /// Files read, by their real paths.
    read: HashSet<PathBuf>,
    /// Types that other files declare, with an index in `others`.
    elsewhere: HashMap<TypeName, usize>,
    /// Files that were only searched: their declarations, their diagnostics, and their index.
    others: Vec<(File, Vec<Diagnostic>, u32)>,
    searched: bool,
}

impl Work {
    /// Adds a named file.
    fn add(&mut self, source: Source) {
        let file = self.sources.add(source);
        if let Some(source) = self.sources.get(file) {
            self.files.push(parser::parse(file, source, &mut self.diagnostics));
            self.used.push(file);
        }
    }

    /// Searches the directories, once.
    fn search(&mut self, loader: &Loader) {
        if std::mem::replace(&mut self.searched, true) {
            return;
        }
        let mut paths = Vec::new();
        for dir in &loader.include {
            if let Err(e) = list(dir, DEEPEST, &mut paths) {
                self.diagnostics
                    .push(Diagnostic::general(format!("cannot look in `{}`: {e}", dir.display())));
            }
        }
        for (path, text) in &loader.texts {
            if text.is_none() {
                let dir = path.parent().filter(|d| !d.as_os_str().is_empty()).unwrap_or(Path::new("."));
                let _ = list(dir, 0, &mut paths); // a missing file has been reported
            }
        }
        for path in paths {
            if !self.read.insert(real(&path)) {
                continue;
            }
            // A file that cannot be read matters only if a type is missing; then it is reported.
            let Ok(source) = read(&path) else { continue };
            let file = self.sources.add(source);
            let Some(source) = self.sources.get(file) else { continue };
            let mut diagnostics = Vec::new();
            let parsed = parser::parse(file, source, &mut diagnostics);
            for name in declared(&parsed) {
                self.elsewhere.entry(name).or_insert(self.others.len());
            }
            self.others.push((parsed, diagnostics, file));
        }
    }

    /// Adds the type with that name from a searched file. Returns whether there is one.
    fn pull(&mut self, name: &TypeName) -> bool {
        let Some((other, diagnostics, file)) = self.elsewhere.get(name).and_then(|&i| self.others.get_mut(i))
        else {
            return false;
        };
        let is_it = |package: &str, short: &str| package == name.package && short == name.name;
        let structs = other.structs.extract_if(.., |s| is_it(&s.package, &s.name.text)).collect::<Vec<_>>();
        let enums = other.enums.extract_if(.., |e| is_it(&e.package, &e.name.text)).collect::<Vec<_>>();
        if structs.is_empty() && enums.is_empty() {
            return false; // already added
        }
        self.diagnostics.extend(diagnostics.drain(..).filter(|d| d.severity == Severity::Error));
        self.used.push(*file);
        let file_name = other.name.clone();
        if let Some(taken) = structs.first() {
            self.warn_of_other_definitions(taken);
        }
        self.files.push(File { name: file_name, structs, enums });
        true
    }

    /// Warns if other searched files declare a struct of the same name with other fields: which of them is meant is
    /// a guess.
    fn warn_of_other_definitions(&mut self, taken: &Struct) {
        let is_same = |s: &&Struct| s.package == taken.package && s.name.text == taken.name.text;
        let mut others = self.others.iter().filter_map(|(file, _, _)| file.structs.iter().find(is_same));
        let Some(other) = others.find(|other| fields(other) != fields(taken)) else { return };
        let name = TypeName { package: taken.package.clone(), name: taken.name.text.clone() };
        let what = format!("`{name}` is declared differently in several files; the first is used");
        let warning =
            Diagnostic::warning(what, taken.name.span).label("taken").and(other.name.span, "not taken");
        self.diagnostics.push(warning.help("name the right file, or a directory with only one of them"));
    }
}

/// The `.lcm` files in `dir` and, down to `depth`, below it, sorted by name.
fn list(dir: &Path, depth: usize, out: &mut Vec<PathBuf>) -> std::io::Result<()> {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(dir)?.filter_map(|entry| entry.ok().map(|e| e.path())).collect();
    entries.sort();
    for path in entries {
        if out.len() >= MOST_FILES {
            break;
        }
        if path.extension().is_some_and(|e| e == "lcm") && path.is_file() {
            if !is_log(&path) {
                out.push(path);
            }
        } else if depth > 0 && path.is_dir() && !path.is_symlink() {
            let _ = list(&path, depth - 1, out); // an unreadable one is skipped
        }
    }
    Ok(())
}

/// Whether a file is a log of LCM. Many logs have names that end like those of type files.
pub fn is_log(path: &Path) -> bool {
    use std::io::Read;
    let mut first = [0; 4];
    path.is_file()
        && std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut first)).is_ok()
        && first == LOG
}

/// The first bytes of a log of LCM: those of its first event.
const LOG: [u8; 4] = [0xed, 0xa1, 0xda, 0x01];

fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.into())
}

fn read(path: &Path) -> Result<Source, String> {
    use std::io::Read;
    let reported = |e: std::io::Error| format!("cannot read `{}`: {e}", path.display());
    let file = std::fs::File::open(path).map_err(reported)?;
    let mut bytes = Vec::new();
    file.take(Source::MAX as u64 + 1).read_to_end(&mut bytes).map_err(reported)?;
    if bytes.len() > Source::MAX {
        return Err(format!(
            "`{}` is not a type file: it has more than {} MiB",
            path.display(),
            Source::MAX >> 20
        ));
    }
    if bytes.starts_with(&LOG) {
        return Err(format!("`{}` is a log, not a type file", path.display()));
    }
    if let Some(at) = bytes.iter().position(|&byte| byte == 0) {
        return Err(format!("`{}` is not a type file: it has a zero byte at offset {at}", path.display()));
    }
    Ok(Source::new(path, &bytes))
}

/// The first diagnostics: more are not useful, and each takes time to render. Warnings do not displace errors.
fn limited(mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    if diagnostics.len() > MAX_REPORTED {
        diagnostics.sort_by_key(|d| d.severity == Severity::Warning); // stable otherwise
        let more = diagnostics.len() - MAX_REPORTED;
        let severity = diagnostics[MAX_REPORTED].severity;
        diagnostics.truncate(MAX_REPORTED);
        diagnostics.push(Diagnostic { severity, ..Diagnostic::general(format!("and {more} more")) });
    }
    diagnostics
}

/// The properties of a struct that determine its messages: type, name and dimensions of each field, as written.
fn fields(of: &Struct) -> Vec<(&str, &str, Vec<&str>)> {
    let own = format!("{}.", of.package);
    let fields = of.fields.iter().map(|f| {
        let ty = f.ty.text.strip_prefix(&own).unwrap_or(&f.ty.text);
        (ty, &*f.name.text, f.dims.iter().map(|dim| &*dim.text).collect())
    });
    fields.collect()
}

/// The names that a file declares.
fn declared(file: &File) -> Vec<TypeName> {
    let name = |package: &String, name: &str| TypeName { package: package.clone(), name: name.into() };
    let structs = file.structs.iter().map(|s| name(&s.package, &s.name.text));
    structs.chain(file.enums.iter().map(|e| name(&e.package, &e.name.text))).collect()
}

/// The names that a file refers to.
fn referred(file: &File) -> Vec<TypeName> {
    let fields = file.structs.iter().flat_map(|s| s.fields.iter().map(move |f| (&s.package, &f.ty.text)));
    let types = fields.filter(|(_, ty)| Primitive::of(ty).is_none());
    types.map(|(package, ty)| resolve::full_name(ty, package)).collect()
}
