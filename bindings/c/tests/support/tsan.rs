//! The library as thread sanitizer wants it: all that Rust compiles calls the sanitizer's runtime at every access, but for the
//! standard library as it was delivered.

use super::build::compiler;
use super::{repository, run};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

const TARGET: &str = "x86_64-unknown-linux-gnu";

/// Whether it can be had: what was tried so far is Linux on x86-64.
pub const HERE: bool = cfg!(all(target_os = "linux", target_arch = "x86_64", target_env = "gnu"));

/// What programs are linked with. The runtime is that of Rust's compiler, which has functions that GCC's lacks; GCC's code calls it
/// under the same names.
pub fn library_and_runtime(dir: &Path) -> Vec<OsString> {
    let rustc = std::env::var("RUSTC").unwrap_or("rustc".into());
    let sysroot = run(Command::new(rustc).args(["--print", "sysroot"]).current_dir(repository()));
    let runtime = format!("lib/rustlib/{TARGET}/lib/librustc-stable_rt.tsan.a");
    let runtime = Path::new(sysroot.trim()).join(runtime);
    assert!(runtime.is_file(), "{} is not there", runtime.display());
    let library = library();
    let mut all = locks(&library, dir);
    all.extend([library.into(), "-Wl,--whole-archive".into(), runtime.into()]);
    all.extend(["-Wl,--no-whole-archive", "-rdynamic", "-lrt", "-lresolv"].map(OsString::from));
    all
}

/// The sanitizer sees how the standard library's locks are taken and given back, which is compiled where it is used; but not how
/// one is taken that another thread has, which was compiled before. So this is told: whoever comes back from there has the lock, and
/// has seen what was done before it was given back. Nor does it see how what is made once is said to be there, but how that is looked
/// at: so this is told too, by whoever comes back from where it was made. Nothing else is told, and no report is suppressed.
fn locks(library: &Path, dir: &Path) -> Vec<OsString> {
    let symbols = run(Command::new("nm").arg("--undefined-only").arg(library));
    let of = |ends: &[&str]| -> BTreeSet<&str> {
        let is = |name: &&str| name.contains("3std3sys4sync") && ends.iter().any(|end| name.ends_with(end));
        symbols.split_whitespace().filter(is).collect()
    };
    let names = of(&["lock_contended", "read_contended", "write_contended"]);
    assert_eq!(names.len(), 3, "a mutex's, and a lock's for readers and writers: {names:?}");
    let once = of(&["4Once4call"]);
    assert_eq!(once.len(), 1, "what makes something once: {once:?}");
    let mut code = String::from("void __tsan_acquire(void *);\nvoid __tsan_release(void *);\n");
    for name in &once {
        // It begins with the word that says how far it is. More arguments than it has do no harm: they are in registers.
        let arguments = "char *once, long a, long b, long c, long d";
        code += &format!(
            "void __real_{name}({arguments});\nvoid __wrap_{name}({arguments});\nvoid __wrap_{name}({arguments}) {{\n\
             __real_{name}(once, a, b, c, d); __tsan_acquire(once); __tsan_release(once); }}\n"
        );
    }
    for name in &names {
        // Either lock begins with the word that says who has it.
        code += &format!(
            "void __real_{name}(char *);\nvoid __wrap_{name}(char *lock);\n\
             void __wrap_{name}(char *lock) {{ __real_{name}(lock); __tsan_acquire(lock); }}\n"
        );
    }
    let (source, object) = (dir.join("locks.c"), dir.join("locks.o"));
    std::fs::write(&source, code).expect("a file");
    run(compiler(&source).arg("-c").arg(&source).arg("-o").arg(&object));
    names.iter().chain(&once).map(|name| format!("-Wl,--wrap={name}").into()).chain([object.into()]).collect()
}

/// Builds the static library in a directory of its own, as every crate is compiled otherwise than usual.
fn library() -> PathBuf {
    let test = std::env::current_exe().expect("this test's file");
    let target = test.ancestors().nth(3).expect("target/…/deps").join("tsan");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["rustc", "--quiet", "--locked", "-p", "saltus-c", "--lib", "--crate-type", "staticlib"]);
    // With a target, so that build scripts and procedural macros are compiled as usual.
    cargo.args(["--target", TARGET, "--target-dir"]).arg(&target).current_dir(repository());
    // The compiler has sanitizers, but no stable flag for them yet. The standard library is not compiled for one; that is allowed.
    cargo.env("RUSTC_BOOTSTRAP", "1").env_remove("CARGO_ENCODED_RUSTFLAGS").env("CARGO_INCREMENTAL", "0");
    cargo.env("RUSTFLAGS", "-Zsanitizer=thread -Cunsafe-allow-abi-mismatch=sanitizer --cfg tsan");
    run(&mut cargo);
    target.join(TARGET).join("debug/libsaltus.a")
}
