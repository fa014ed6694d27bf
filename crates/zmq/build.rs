//! Finds libzmq.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    #[cfg(feature = "library")]
    if let Err(why) = pkg_config::Config::new().atleast_version("4.2").probe("libzmq") {
        println!("cargo:error=zmq:// needs libzmq (Debian's package libzmq3-dev has it): {why}");
        std::process::exit(1);
    }
}
