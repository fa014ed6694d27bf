//! How programs in C and C++ are built for the tests: plainly, or as a sanitizer wants them.

use super::{library, package, repository, run, scratch, tsan};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What every C file is compiled with.
pub const STRICT: &[&str] = &["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O1"];
/// And every C++ file.
const STRICT_CPP: &[&str] = &[
    "-std=c++17",
    "-Wall",
    "-Wextra",
    "-Wpedantic",
    "-Wconversion",
    "-Wshadow",
    "-Wold-style-cast",
    "-Werror",
    "-O1",
];

/// The compiler of a source file. `CC` and `CXX` choose another.
pub fn compiler(source: &Path) -> Command {
    let cpp = source.extension().is_some_and(|extension| extension == "cpp");
    let (variable, usual) = if cpp { ("CXX", "c++") } else { ("CC", "cc") };
    let mut command = Command::new(std::env::var(variable).unwrap_or(usual.into()));
    command.args(if cpp { STRICT_CPP } else { STRICT });
    command
}

/// A way of building, and a directory for what is built.
pub struct Build {
    pub dir: PathBuf,
    /// For the compiler.
    flags: &'static [&'static str],
    /// For the linker: the library, and what goes with it.
    link: Vec<OsString>,
    /// For the sanitizer, when a program runs.
    options: &'static [(&'static str, &'static str)],
    /// The command that runs programs, if it is not the system alone.
    runner: &'static [&'static str],
    sources: RefCell<BTreeSet<String>>,
}

impl Build {
    /// As users build, with flags of one's own.
    pub fn plain(name: &str, flags: &'static [&'static str]) -> Build {
        let link = vec![library("libsaltus.a").into()];
        Build { dir: scratch(name), flags, link, options: &[], runner: &[], sources: RefCell::default() }
    }
    /// As users build, run under valgrind, which ends with 99 if it finds anything.
    pub fn valgrind(name: &str) -> Build {
        let mut build = Build::plain(name, &[]);
        build.runner = &[
            "valgrind",
            "--error-exitcode=99",
            "--leak-check=full",
            "--show-leak-kinds=all",
            "--errors-for-leak-kinds=all",
            "--track-fds=yes",
        ];
        build
    }
    /// For the address, leak and undefined-behaviour sanitizers. What Rust compiled they watch from outside: its memory, not its
    /// every access.
    pub fn address(name: &str) -> Build {
        const FLAGS: &[&str] = &["-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
        let mut build = Build::plain(name, FLAGS);
        build.link.push(FLAGS[1].into());
        build.options = &[("ASAN_OPTIONS", "detect_leaks=1"), ("UBSAN_OPTIONS", "print_stacktrace=1")];
        build
    }
    /// For thread sanitizer, with a library whose every access it watches too.
    pub fn thread(name: &str) -> Build {
        let mut build = Build::plain(name, &["-g", "-fsanitize=thread"]);
        build.link = tsan::library_and_runtime(&build.dir);
        // A program that is killed has no exit code to tell by: at the first race it ends.
        build.options = &[("TSAN_OPTIONS", "halt_on_error=1")];
        build
    }

    /// All that was built, by their places in the repository.
    pub fn sources(&self) -> BTreeSet<String> {
        self.sources.borrow().clone()
    }

    /// The program of a source file, which is named by its place in the repository, to be run with what it is run by, and what the
    /// sanitizer needs.
    pub fn program(&self, source: &str) -> Command {
        let program = self.compile(source).into_os_string();
        let mut words = self.runner.iter().map(OsString::from).chain([program]);
        let mut command = Command::new(words.next().expect("at least the program"));
        command.args(words).envs(self.options.iter().copied());
        command
    }

    /// Compiles and links, the first time; returns the program.
    pub fn compile(&self, source: &str) -> PathBuf {
        let program = self.dir.join(source.replace(['/', '.'], "-"));
        if !self.sources.borrow_mut().insert(source.into()) {
            return program;
        }
        let source = repository().join(source);
        let (mut sources, mut include) = (vec![source.clone()], vec![package().join("include")]);
        if source.file_stem().is_some_and(|stem| stem == "typed") {
            let types = program.with_extension("types");
            sources.extend(generate(&source, &types));
            include.push(types);
        }
        let mut link = compiler(&source);
        link.arg("-o").arg(&program);
        for (i, source) in sources.iter().enumerate() {
            // Apart from the linker's call, which has no sanitizer's flag where the runtime is not the compiler's own.
            let object = program.with_extension(format!("{i}.o"));
            let mut compile = compiler(source);
            compile.args(self.flags).arg("-c").arg(source).arg("-o").arg(&object);
            run(compile.args(include.iter().flat_map(|dir| [Path::new("-I"), dir])));
            link.arg(object);
        }
        run(link.args(&self.link).args(["-pthread", "-ldl", "-lm"]));
        program
    }
}

/// The code of the types beside an example; returns what is to be compiled.
fn generate(source: &Path, into: &Path) -> Vec<PathBuf> {
    let language = source.extension().expect("c or cpp");
    let mut generate = Command::new(saltus_peers::saltus());
    generate.args(["gen", "--lang"]).arg(language).arg("--out").arg(into);
    run(generate.arg(source.with_file_name("types/pose.lcm")));
    let files = std::fs::read_dir(into).expect("what was generated").flatten().map(|file| file.path());
    files.filter(|path| path.extension().is_some_and(|extension| extension == "c")).collect()
}
