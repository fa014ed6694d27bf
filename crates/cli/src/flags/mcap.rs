//! Options for MCAP files and viewers, shared by `record`, `log` and `serve`.

use std::path::Path;

use clap::{Args, ValueEnum};
use saltus_log::{Compression, Format, WriterOptions};
use saltus_types::cdr::Dialect;

use crate::exit::{Code, Failure, Outcome};

/// Options for writing MCAP files.
#[derive(Args)]
pub(crate) struct Mcap {
    /// Compression of MCAP files
    #[arg(long, value_enum, default_value_t = Packing::Zstd)]
    compression: Packing,

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
    #[arg(long, value_enum, default_value_t = Language::Ros2msg)]
    schema: Language,
}

/// Compression of MCAP files.
#[derive(Clone, Copy, ValueEnum)]
enum Packing {
    /// No compression
    None,
    /// Fast compression
    Lz4,
    /// Strong compression
    Zstd,
}

/// Schema languages.
#[derive(Clone, Copy, ValueEnum)]
enum Language {
    /// ROS 2 message definitions, for all viewers
    Ros2msg,
    /// OMG IDL, which keeps names as they are
    Omgidl,
}

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
        let compression = match self.compression {
            Packing::None => Compression::None,
            Packing::Lz4 => Compression::Lz4,
            Packing::Zstd => Compression::Zstd,
        };
        WriterOptions::new().compression(compression).dialect(self.schema.dialect()).raw(self.no_cdr)
    }
}

impl Schema {
    pub(crate) fn dialect(&self) -> Dialect {
        match self.schema {
            Language::Ros2msg => Dialect::Ros2Msg,
            Language::Omgidl => Dialect::OmgIdl,
        }
    }
}
