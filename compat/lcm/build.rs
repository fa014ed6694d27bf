//! Gives the shared library the name that programs built for LCM remember.

fn main() {
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,liblcm.so.1");
    println!("cargo::rerun-if-changed=build.rs");
}
