//! C.

use super::dump::{Spelling, functions, spelled};
use super::generate;
use crate::corpus::{Corpus, OracleLang};
use crate::driver::Driver;
use crate::files;
use crate::oracle;
use crate::tools::{self, Result};
use saltus_gen::{Lang, Options};
use saltus_types::StructId;
use std::path::Path;
use std::process::Command;

/// Flags that find reads past the end, undefined behavior, leaks, and excessive allocations.
pub const SANITIZE: [&str; 4] =
    ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer", "-g1"];

/// Options of the sanitizers; `MiB` is the largest block allowed.
pub fn sanitizer_options() -> Vec<(String, String)> {
    let address =
        "max_allocation_size_mb=16:hard_rss_limit_mb=512:quarantine_size_mb=64:allocator_may_return_null=0";
    vec![("ASAN_OPTIONS".into(), address.into()), ("UBSAN_OPTIONS".into(), "print_stacktrace=1".into())]
}

/// The driver of our C.
pub fn ours(corpus: &Corpus, dir: &Path) -> Result<Driver> {
    let code = dir.join("code");
    let generated = generate(corpus, Lang::C, &Options::default(), "h", &code)?;
    let types: Vec<StructId> = corpus.schema.ids().collect();
    let field = |id: StructId, name: &str| spelled(&generated[&id].text, name);
    let include = vec![code.clone()];
    let mut flags = vec!["-std=c99", "-O0"];
    flags.extend(SANITIZE);
    let made = Made { corpus, dir, code: &code, types: &types, field: &field };
    made.build(&flags, &include)?;
    Ok(made.driver("C", false))
}

/// The driver of LCM's C.
pub fn oracle(corpus: &Corpus, dir: &Path) -> Result<Driver> {
    let code = dir.join("code");
    tools::fresh(&code)?;
    let files = corpus.oracle_files(OracleLang::C);
    let to = code.to_string_lossy();
    oracle::generate(&["--c", "--c-no-pubsub", "--c-cpath", &to, "--c-hpath", &to], &files)?;
    let coretypes = files::find(&tools::lcm()?, "lcm_coretypes.h")?;
    let include = vec![code.clone(), coretypes.ancestors().nth(2).unwrap_or(&coretypes).into()];
    let types = corpus.types_of(&files);
    let made = Made { corpus, dir, code: &code, types: &types, field: &|_, name| name.into() };
    made.build(&["-std=gnu11", "-O0", "-w"], &include)?;
    Ok(made.driver("LCM's C", true))
}

/// Code in C, of either generator: the names are the same.
struct Made<'a> {
    corpus: &'a Corpus,
    dir: &'a Path,
    code: &'a Path,
    types: &'a [StructId],
    field: &'a dyn Fn(StructId, &str) -> String,
}

impl Made<'_> {
    fn build(&self, flags: &[&str], include: &[std::path::PathBuf]) -> Result<()> {
        let schema = &self.corpus.schema;
        let ty = |id: StructId| schema.get(id).name.to_string().replace('.', "_");
        let dump = |id: StructId| format!("dump_{}", ty(id));
        let spell = Spelling { ty: &ty, field: self.field, dump: &dump };
        let mut text: String = self.types.iter().map(|&id| format!("#include \"{}.h\"\n", ty(id))).collect();
        text.push_str(&functions(schema, self.types, &spell));
        tools::write(&self.dir.join("types.h"), &text)?;
        let mut gcc = Command::new("gcc");
        gcc.args(flags).arg("-I").arg(self.dir).arg("-I").arg(tools::file("drivers"));
        for dir in include {
            gcc.arg("-I").arg(dir);
        }
        gcc.args(files::all(self.code, "c"))
            .arg(tools::file("drivers/driver.c"))
            .arg("-o")
            .arg(self.dir.join("driver"));
        tools::output(&mut gcc).map(|_| ())
    }

    fn driver(&self, name: &str, is_oracle: bool) -> Driver {
        Driver {
            name: name.into(),
            is_oracle,
            types: self.types.iter().copied().collect(),
            any_bytes: true,
            command: vec![self.dir.join("driver").to_string_lossy().into_owned()],
            environment: sanitizer_options(),
            address_space: None,
            dir: self.dir.into(),
        }
    }
}
