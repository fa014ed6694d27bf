//! Draws the pictures of the documentation.

use crate::run::{Step, root};
use std::env;
use std::fs;
use std::path::PathBuf;

/// The log that they show; it is not in the repository.
const LOG: &str = "freiburg-079.log.gz";

/// The steps: import the log, open it in Chromium, save the picture.
pub fn steps() -> Result<Vec<Step>, String> {
    let beside = root().join("../shared/data");
    let log = env::var_os("SALTUS_DATA").map_or(beside, PathBuf::from).join(LOG);
    if !log.is_file() {
        return Err(format!("{} does not exist; set SALTUS_DATA to its directory", log.display()));
    }
    let made = root().join("target/pictures/fr079.lcmlog");
    let (source, target) = (log.display().to_string(), made.display().to_string());
    let import = ["run", "--quiet", "--locked", "-p", "saltus-cli", "--", "import", "carmen"];
    let import: Vec<&str> = ["cargo"].into_iter().chain(import).chain([&*source, "-o", &*target]).collect();
    let draw = ["cargo", "test", "--locked", "-p", "saltus-web", "--test", "page"];
    let draw = [&draw[..], &["--", "--ignored", "--exact", "pictures::of_the_documentation"]].concat();
    let directory = made.clone();
    Ok(vec![
        Step::new("a directory for the log", move || {
            let folder = directory.parent().unwrap_or(&directory);
            fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
            match fs::remove_file(&directory) {
                Err(e) if directory.exists() => Err(format!("{}: {e}", directory.display())),
                _ => Ok(()),
            }
        }),
        Step::command("import of the log", &[], &import),
        Step::command("pictures", &[("SALTUS_PICTURES_LOG", &target)], &draw),
        Step::new("pictures kept", || {
            for name in ["spy-dark", "spy-light", "player-dark", "player-light"] {
                let from = root().join(format!("target/screenshots/docs-{name}.png"));
                let to = root().join(format!("docs/pictures/{name}.png"));
                fs::copy(&from, &to).map_err(|e| format!("{} to {}: {e}", from.display(), to.display()))?;
            }
            Ok(())
        }),
    ])
}
