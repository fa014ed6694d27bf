//! Installed, the library is found by pkg-config and used as any other: shared, and static.

mod support;

use saltus_peers::saltus;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use support::*;

/// `install.sh` and what runs it, of the libraries that cargo has built for the tests.
fn quickly(command: &mut Command) -> &mut Command {
    command.env("BUILT", library("libsaltus.so").parent().expect("a directory"))
}

/// What pkg-config says of `saltus` under a prefix.
fn pkg_config(prefix: &Path, arguments: &[&str]) -> Vec<String> {
    let mut command = Command::new("pkg-config");
    command.env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig")).args(arguments).arg("saltus");
    run(&mut command).split_whitespace().map(String::from).collect()
}

/// Compiles `hello.c` with what pkg-config says, and nothing of this repository.
fn hello(prefix: &Path, name: &str, arguments: &[&str]) -> PathBuf {
    let program = prefix.join(name);
    let source = repository().join("examples/c/hello.c");
    let mut cc = build::compiler(&source);
    cc.arg(source).arg("-o").arg(&program);
    run(cc.args(pkg_config(prefix, arguments)));
    program
}

#[test]
fn installed_it_is_found_by_pkg_config() {
    let prefix = scratch("installed");
    run(quickly(Command::new(package().join("install.sh")).arg(&prefix)));
    assert_eq!(pkg_config(&prefix, &["--modversion"]), [env!("CARGO_PKG_VERSION")]);

    let shared = hello(&prefix, "shared", &["--cflags", "--libs"]);
    let domain = TestDomain::new();
    let mut program = Command::new(&shared);
    program.env("SALTUS_DOMAIN", domain.url());
    assert_eq!(run(program.env("LD_LIBRARY_PATH", prefix.join("lib"))), "Hello, robot\n");
    // It asks for a library of this kind, and not for any.
    let needed = run(Command::new("readelf").arg("-d").arg(&shared));
    assert!(needed.contains("[libsaltus.so."), "{needed}");

    std::fs::remove_file(prefix.join("lib/libsaltus.so")).expect("the link that compilers use");
    let domain = TestDomain::new();
    let fixed = hello(&prefix, "static", &["--static", "--cflags", "--libs"]);
    assert_eq!(run(Command::new(&fixed).env("SALTUS_DOMAIN", domain.url())), "Hello, robot\n");
    let needed = run(Command::new("readelf").arg("-d").arg(&fixed));
    assert!(!needed.contains("libsaltus"), "{needed}");
}

#[test]
fn cmake_builds_the_examples_with_what_is_installed_and_uninstalling_leaves_nothing() {
    let (prefix, saltus) = (scratch("cmake-prefix"), saltus());
    std::fs::create_dir(prefix.join("lib")).expect("a directory that was there before");
    let package_dir = scratch("cmake-package");
    run(Command::new("cmake").arg("-S").arg(package()).arg("-B").arg(&package_dir));
    run(quickly(Command::new("cmake").arg("--install").arg(&package_dir).arg("--prefix").arg(&prefix)));
    // Twice: what was there is used again, and still known to be ours.
    run(quickly(Command::new(package().join("install.sh")).arg(&prefix)));
    for language in ["c", "cpp"] {
        let build = scratch(&format!("cmake-examples-{language}"));
        let mut configure = Command::new("cmake");
        configure.arg("-S").arg(repository().join("examples").join(language)).arg("-B").arg(&build);
        configure.arg(format!("-DCMAKE_PREFIX_PATH={}", prefix.display()));
        run(configure.arg(format!("-DSALTUS_EXECUTABLE={}", saltus.display())));
        run(Command::new("cmake").arg("--build").arg(&build).args(["--parallel", "2"]));
        examples::six(language, |name| Command::new(build.join(name)));
    }
    let uninstall = || output(Command::new(package().join("install.sh")).arg("--uninstall").arg(&prefix));
    assert!(uninstall().status.success());
    assert_eq!(below(&prefix), [prefix.join("lib")]);
    assert_eq!(uninstall().status.code(), Some(1), "there is nothing to uninstall");
}

#[test]
fn a_directory_of_the_loader_gets_into_its_cache_and_another_is_named() {
    let (prefix, tools) = (scratch("loader"), scratch("loader-tools"));
    // For this `ldconfig`, `lib` below the prefix is the loader's directory. Without -N it makes the cache.
    let made = tools.join("made");
    let script = format!(
        "#!/bin/sh\nif [ $1 = -N ]; then echo '{}/lib: (from a test)'; else echo made >> {}; fi\n",
        prefix.display(),
        made.display()
    );
    std::fs::write(tools.join("ldconfig"), script).expect("a program");
    std::fs::set_permissions(tools.join("ldconfig"), Permissions::from_mode(0o755)).expect("a program");
    let path = format!("{}:{}", tools.display(), std::env::var("PATH").expect("PATH"));
    let install = |arguments: &[&Path]| {
        run(quickly(&mut Command::new(package().join("install.sh"))).env("PATH", &path).args(arguments))
    };
    let words = install(&[&prefix]);
    assert!(!words.contains("LD_LIBRARY_PATH"), "{words}");
    install(&[Path::new("--uninstall"), &prefix]);
    assert_eq!(std::fs::read_to_string(&made).expect("it made the cache"), "made\nmade\n");
    let other = scratch("loader-other");
    let words = install(&[&other]);
    assert!(words.contains(&format!("export LD_LIBRARY_PATH={}/lib\n", other.display())), "{words}");
    assert_eq!(std::fs::read_to_string(&made).expect("it made the cache"), "made\nmade\n");
}

#[test]
fn a_prefix_that_cannot_be_written_is_refused_before_the_build() {
    let file = scratch("no-directory").join("file");
    std::fs::write(&file, "").expect("a file");
    // Without cargo, so that a build fails.
    let mut install = Command::new(package().join("install.sh"));
    let output =
        output(install.env("PATH", "/usr/bin:/bin").env("FEATURES", "zmq dds").arg(file.join("prefix")));
    assert_eq!(output.status.code(), Some(1));
    let words = text(&output.stderr);
    assert!(words.contains(&format!("cannot write to {}: choose another", file.display())), "{words}");
    assert!(words.contains("sudo env BUILT=") && !words.contains("cargo: not found"), "{words}");
    assert!(words.contains(" --features zmq,dds)") && words.contains(" FEATURES=zmq,dds "), "{words}");
}

#[test]
fn packagers_install_aside() {
    let aside = scratch("aside");
    let mut install = Command::new(package().join("install.sh"));
    run(quickly(&mut install).arg("/usr").env("DESTDIR", &aside).env("LIBDIR", "/usr/lib/some-machine"));
    let pc =
        std::fs::read_to_string(aside.join("usr/lib/some-machine/pkgconfig/saltus.pc")).expect("saltus.pc");
    assert!(pc.contains("prefix=/usr\nlibdir=/usr/lib/some-machine\n") && !pc.contains('@'), "{pc}");
    assert!(aside.join("usr/include/saltus.h").is_file());
    let library = aside.join("usr/lib/some-machine/libsaltus.so");
    assert!(
        library.canonicalize().expect("links that lead somewhere").starts_with(aside.canonicalize().unwrap())
    );
    for wrong in [&[][..], &["relative"], &["/a", "/b"], &["--uninstall"]] {
        assert_eq!(output(Command::new(package().join("install.sh")).args(wrong)).status.code(), Some(2));
    }
}
