//! Java.

use super::{generate, parts};
use crate::corpus::{Corpus, OracleLang};
use crate::driver::Driver;
use crate::files;
use crate::oracle;
use crate::tools::{self, Result};
use saltus_gen::{Lang, Options, Style};
use saltus_types::StructId;
use std::path::Path;
use std::process::Command;

/// The driver of our Java.
pub fn ours(corpus: &Corpus, style: Style, dir: &Path) -> Result<Driver> {
    let options = Options { style, java_default_package: Some("lcmtypes".into()), ..Options::default() };
    let generated = generate(corpus, Lang::Java, &options, "java", &dir.join("code"))?;
    let types: Vec<StructId> = corpus.schema.ids().collect();
    let class = |id| parts(&generated[&id]).join(".");
    let (name, charset) = match style {
        Style::Lcm => ("Java, LCM style", "ISO-8859-1"),
        Style::Modern => ("Java", "UTF-8"),
    };
    driver(corpus, name, charset, dir, &types, &class)
}

/// The driver of LCM's Java.
pub fn oracle(corpus: &Corpus, dir: &Path) -> Result<Driver> {
    let code = dir.join("code");
    tools::fresh(&code)?;
    let files = corpus.oracle_files(OracleLang::Java);
    oracle::generate(&["--java", "--jpath", &code.to_string_lossy()], &files)?;
    let types = corpus.types_of(&files);
    let class = |id| {
        let name = &corpus.schema.get(id).name;
        if name.package.is_empty() { format!("lcmtypes.{name}") } else { name.to_string() }
    };
    driver(corpus, "LCM's Java", "ISO-8859-1", dir, &types, &class)
        .map(|driver| Driver { is_oracle: true, ..driver })
}

fn driver(
    corpus: &Corpus,
    name: &str,
    charset: &str,
    dir: &Path,
    types: &[StructId],
    class: &dyn Fn(StructId) -> String,
) -> Result<Driver> {
    let row = |&id: &StructId| format!("{} {}\n", corpus.schema.get(id).name, class(id));
    tools::write(&dir.join("table"), &types.iter().map(row).collect::<String>())?;
    let classes = dir.join("classes");
    tools::fresh(&classes)?;
    let jar = files::find(&tools::lcm()?, "lcm.jar")?;
    let mut files = files::all(&dir.join("code"), "java");
    files.push(tools::file("drivers/Driver.java"));
    let list: String = files.iter().map(|path| format!("\"{}\"\n", path.display())).collect();
    tools::write(&dir.join("sources"), &list)?;
    let mut javac = Command::new("javac");
    javac.args(["-nowarn", "-proc:none", "-encoding", "UTF-8", "-J-XX:TieredStopAtLevel=1"]);
    javac.arg("-classpath").arg(&jar).arg("-d").arg(&classes);
    tools::output(javac.arg(format!("@{}", dir.join("sources").display())))?;
    let path = format!("{}:{}", classes.display(), jar.display());
    let table = dir.join("table").to_string_lossy().into_owned();
    let words =
        ["java", "-Xmx64m", "-Xss1m", "-XX:+UseSerialGC", "-classpath", &path, "Driver", &table, charset];
    Ok(Driver {
        name: name.into(),
        is_oracle: false,
        types: types.iter().copied().collect(),
        any_bytes: charset == "ISO-8859-1",
        command: words.iter().map(|word| word.to_string()).collect(),
        environment: Vec::new(),
        address_space: None,
        dir: dir.into(),
    })
}
