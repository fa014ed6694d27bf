//! Gives the shared library the name that programs built against Ach 2.0.0 remember.

fn main() {
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libach.so.4");
    println!("cargo::rerun-if-changed=build.rs");
}
