//! The CMake function generates, links, and regenerates what has changed: with the projects in `examples`.

#[path = "c_support/mod.rs"]
mod support;

use saltus_peers::saltus;
use std::path::{Path, PathBuf};
use std::process::Command;
use support::*;

/// A copy of an example, next to a copy of the module as in the repository.
fn copied(name: &str) -> PathBuf {
    let root = scratch(&format!("cmake-{name}"));
    let project = root.join("examples").join(name);
    copy(&repository().join("examples").join(name), &project);
    copy(&repository().join("cmake"), &root.join("cmake"));
    project
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a directory");
    for entry in std::fs::read_dir(from).expect("a directory").flatten() {
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &to);
        } else {
            std::fs::copy(entry.path(), to).expect("a file");
        }
    }
}

fn build(project: &Path) -> String {
    run(Command::new("cmake").args(["--build", "build", "--parallel", "2"]).current_dir(project))
}

fn example(name: &str, says: &str) {
    let saltus = saltus();
    let project = copied(name);
    let mut configure = Command::new("cmake");
    configure.args(["-B", "build"]).arg(format!("-DSALTUS_EXECUTABLE={}", saltus.display()));
    run(configure.current_dir(&project));
    assert!(build(&project).contains("Generating laser_types"));
    assert_eq!(run(&mut Command::new(project.join("build/scan"))), says);
    // Nothing has changed: nothing is done.
    let again = build(&project);
    assert!(!again.contains("Generating") && !again.contains("Building"), "{again}");
    // A type is changed, and another added: both are there after the next build, without a request.
    let file = project.join("types/laser.lcm");
    let text = std::fs::read_to_string(&file).expect("the type");
    // File times may count in whole seconds.
    std::thread::sleep(std::time::Duration::from_millis(1100));
    std::fs::write(
        &file,
        text.replace("string scanner;", "string scanner;\n int8_t quality;\n}\nstruct new_t {\n"),
    )
    .expect("the type");
    assert!(build(&project).contains("Generating laser_types"));
    let printed = run(&mut Command::new(project.join("build/scan")));
    assert_ne!(printed, says, "the program was built again");
    let new = oracle::find(
        &project.join("build/laser_types"),
        if name == "types-c" { "laser_new_t.h" } else { "new_t.hpp" },
    );
    assert!(new.is_some());
}

#[test]
fn the_c_example_builds() {
    example("types-c", "74 bytes: front saw 3 ranges, the last at 1.8 m\nin place: x is 3.0\n");
}

#[test]
fn the_cpp_example_builds() {
    example("types-cpp", "74 bytes: front saw 3 ranges, the last at 1.8 m\nin place: x is 3.0\n");
}

/// This test's own domain, removed at the end.
struct Domain(PathBuf);

impl Domain {
    fn new() -> Domain {
        Domain(format!("/dev/shm/saltus-test-types-c-{}", std::process::id()).into())
    }
    /// Runs a program in it; returns what it printed.
    fn run(&self, program: &Path) -> String {
        run(Command::new(program).env("SALTUS_DOMAIN", format!("shm://{}", self.0.display())))
    }
}

impl Drop for Domain {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0); // missing, if nothing created a channel
    }
}

/// With the installed library and module, and only the examples' own files from this repository.
#[test]
fn plain_messages_go_through_shared_memory() {
    let (saltus, domain) = (saltus(), Domain::new());
    let prefix = scratch("cmake-installed");
    // As the tests have it: built in minutes less than one that is optimized.
    let mut install = Command::new(repository().join("bindings/c/install.sh"));
    run(install.arg(&prefix).env("PROFILE", "dev").env("PACKAGES", "--workspace --lib"));
    let projects = ["types-c", "types-cpp"].map(|name| {
        let project = scratch(&format!("cmake-shared-{name}"));
        copy(&repository().join("examples").join(name), &project);
        let lists = project.join("CMakeLists.txt");
        let text = std::fs::read_to_string(&lists).expect("the example's CMakeLists.txt");
        let installed = text.replace("include(SaltusTypes)", "find_package(SaltusTypes REQUIRED)");
        assert_ne!(text, installed);
        std::fs::write(&lists, installed).expect("CMakeLists.txt");
        let mut configure = Command::new("cmake");
        configure.args(["-B", "build"]).arg(format!("-DSALTUS_EXECUTABLE={}", saltus.display()));
        configure.arg(format!("-DCMAKE_PREFIX_PATH={}", prefix.display())).current_dir(&project);
        run(configure.env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig")));
        build(&project);
        assert_eq!(domain.run(&project.join("build/shared")), "in place: x is 3.0, heading is 0.5\n");
        project
    });
    let (program, generated) = (prefix.join("overwritten"), projects[0].join("build/laser_types"));
    let mut command = cc();
    command.arg("-std=c99").args(STRICT).args(SANITIZE).arg("-I").arg(prefix.join("include"));
    command.arg("-I").arg(generated).arg(support().join("overwritten.c"));
    run(command.arg(prefix.join("lib/libsaltus.a")).args(["-pthread", "-ldl", "-lm", "-o"]).arg(&program));
    assert_eq!(domain.run(&program), "done\n");
}
