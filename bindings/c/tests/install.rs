//! Installed, the library is found by pkg-config and used as any other: shared, and static.

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;
use support::*;

/// What pkg-config says of `saltus` under a prefix.
fn pkg_config(prefix: &Path, arguments: &[&str]) -> Vec<String> {
    let mut command = Command::new("pkg-config");
    command.env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig")).args(arguments).arg("saltus");
    run(&mut command).split_whitespace().map(String::from).collect()
}

/// Compiles `hello.c` with what pkg-config says, and nothing of this repository.
fn hello(prefix: &Path, name: &str, arguments: &[&str]) -> PathBuf {
    let program = prefix.join(name);
    let mut cc = Command::new(std::env::var("CC").unwrap_or("cc".into()));
    cc.args(STRICT).arg(repository().join("examples/c/hello.c")).arg("-o").arg(&program);
    run(cc.args(pkg_config(prefix, arguments)));
    program
}

#[test]
fn installed_it_is_found_by_pkg_config() {
    let prefix = scratch("installed");
    run(Command::new(package().join("install.sh")).arg(&prefix));
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
fn packagers_install_aside() {
    let aside = scratch("aside");
    let mut install = Command::new(package().join("install.sh"));
    run(install.arg("/usr").env("DESTDIR", &aside).env("LIBDIR", "/usr/lib/some-machine"));
    let pc =
        std::fs::read_to_string(aside.join("usr/lib/some-machine/pkgconfig/saltus.pc")).expect("saltus.pc");
    assert!(pc.contains("prefix=/usr\nlibdir=/usr/lib/some-machine\n") && !pc.contains('@'), "{pc}");
    assert!(aside.join("usr/include/saltus.h").is_file());
    let library = aside.join("usr/lib/some-machine/libsaltus.so");
    assert!(
        library.canonicalize().expect("links that lead somewhere").starts_with(aside.canonicalize().unwrap())
    );
    for wrong in [&[][..], &["relative"], &["/a", "/b"]] {
        assert_eq!(output(Command::new(package().join("install.sh")).args(wrong)).status.code(), Some(2));
    }
}
