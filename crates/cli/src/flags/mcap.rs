//! Options for MCAP files and viewers, shared by `record`, `log` and `serve`.

use std::path::Path;

use clap::Args;
use saltus_log::{Compression, Format, WriterOptions};
use saltus_types::cdr::Dialect;

use crate::exit::{Code, Failure, Outcome};
use crate::flags::{Choices, one_of};

/// Options for writing MCAP files.
#[derive(Args)]
pub(crate) struct Mcap {
    /// Compression of MCAP files
    #[arg(long, value_parser = one_of(PACKINGS), default_value = "zstd")]
    compression: Compression,

    #[command(flatten)]
    schema: Schema,

    /// Keep messages as published in MCAP (viewers cannot decode)
    #[arg(long)]
    no_cdr: bool,
}

/// The option `--schema`.
#[derive(Args)]
pub(crate) struct Schema {
    /// Schema language for viewers
    #[arg(long, value_parser = one_of(LANGUAGES), default_value = "ros2msg")]
    schema: Dialect,
}

/// The values of `--compression`.
const PACKINGS: Choices<Compression> = &[
    ("none", "No compression", Compression::None),
    ("lz4", "Fast compression", Compression::Lz4),
    ("zstd", "Strong compression", Compression::Zstd),
];

/// The values of `--schema`.
const LANGUAGES: Choices<Dialect> = &[
    ("ros2msg", "ROS 2 message definitions, for all viewers", Dialect::Ros2Msg),
    ("omgidl", "OMG IDL, which keeps names as they are", Dialect::OmgIdl),
];

/// The format of a log by the ending of its name, with the same error in every command.
pub(crate) fn format_of(path: &Path) -> Outcome<Format> {
    Format::of_name(path).ok_or_else(|| {
        let shown = path.display();
        let words = format!("unknown format of `{shown}`: expected a name that ends in .mcap or .lcmlog");
        Failure::new(Code::Usage, words)
    })
}

impl Mcap {
    /// The options for the writer.
    pub(crate) fn options(&self) -> WriterOptions {
        WriterOptions::new().compression(self.compression).dialect(self.schema.dialect()).raw(self.no_cdr)
    }
}

impl Schema {
    pub(crate) fn dialect(&self) -> Dialect {
        self.schema
    }
}
