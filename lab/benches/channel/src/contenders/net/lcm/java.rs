//! LCM's Java library as the clients of the echo test: a separate program, run by `java`. The sender remains LCM's C
//! library. The Java library comes from the Python environment of the conformance tests.

use super::{Lcm, path};
use crate::case::Scenario;
use crate::contender::{Ask, Contender, Link};
use crate::error::Fallible;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The clients.
const PROGRAM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/programs/LcmEcho.java");
const C: Lcm = Lcm { big: false };

/// See the module.
pub struct LcmJava;

/// The path of the library, if it exists: next to the C library.
fn jar() -> Option<PathBuf> {
    let jar = path()?.parent()?.parent()?.join("share/java/lcm.jar");
    jar.is_file().then_some(jar)
}

fn is_installed(program: &str) -> bool {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&paths).any(|dir| dir.join(program).is_file())
}

impl Contender for LcmJava {
    fn name(&self) -> &'static str {
        "lcm-java"
    }

    fn supports(&self, ask: &Ask) -> Result<(), &'static str> {
        match ask.scenario {
            Scenario::Echo if jar().is_none() => {
                Err("no lcm.jar: `python3 lab/conformance/types/environment.py` fetches it")
            }
            Scenario::Echo if !["java", "javac"].iter().all(|program| is_installed(program)) => {
                Err("no java and javac (Debian: default-jdk-headless)")
            }
            Scenario::Echo if !Path::new(PROGRAM).is_file() => Err("the sources of this harness are missing"),
            Scenario::Echo => C.supports(ask),
            _ => Err("clients of the echo test only"),
        }
    }

    fn link(&self, ask: &Ask) -> Fallible<Box<dyn Link>> {
        C.link(ask)
    }

    fn client(&self, there: &Ask, back: &Ask) -> Option<Command> {
        let mut command = Command::new("java");
        command.arg("-Djava.net.preferIPv4Stack=true").arg("-cp").arg(jar()?).arg(PROGRAM);
        for ask in [there, back] {
            command.arg(C.url(ask.number)).arg(&ask.name);
        }
        Some(command)
    }
}
