//! A Cargo package of generated code, in Cargo's directory for tests.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// A package with the generated code in `src/types`. Its build output stays, so that the next run is faster.
pub struct Package {
    root: PathBuf,
}

impl Package {
    pub fn new(name: &str, files: &[saltus_gen::File]) -> Package {
        let root = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("rust-{name}"));
        let _ = fs::remove_dir_all(root.join("src"));
        let package = Package { root };
        saltus_gen::write(&package.root.join("src/types"), files, false).unwrap();
        package
    }
    pub fn file(&self, path: &str, text: &str) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    /// Makes it a separate package, outside of the workspace, without network access.
    pub fn manifest(&self, edition: &str) {
        let wire = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../wire").canonicalize().unwrap();
        let manifest = format!(
            "[package]\nname = \"generated\"\nedition = \"{edition}\"\n\n[dependencies]\n\
             saltus-wire = {{ path = \"{}\" }}\n\n[workspace]\n",
            wire.display()
        );
        self.file("Cargo.toml", &manifest);
    }
    pub fn cargo(&self, args: &[&str]) {
        let (verb, rest) = args.split_first().unwrap();
        let mut line = vec![*verb, "--offline", "--quiet"];
        line.extend(rest);
        self.run(env!("CARGO"), &line);
    }
    /// Runs a command in it, which must succeed.
    pub fn run(&self, command: &str, args: &[&str]) {
        let target = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("rust-target");
        let out = Command::new(command)
            .args(args)
            .current_dir(&self.root)
            .env("CARGO_TARGET_DIR", target)
            .env_remove("RUSTFLAGS")
            .output()
            .unwrap_or_else(|e| panic!("{command}: {e}"));
        let printed = String::from_utf8_lossy(&out.stdout) + String::from_utf8_lossy(&out.stderr);
        assert!(out.status.success(), "{command} {}: {}\n{printed}", args.join(" "), out.status);
    }
}
