//! How MCAP files and viewers get messages: one rule for the recorder, for `log` and for `serve`.

use std::path::Path;

use clap::{Args, ValueEnum};
use saltus_log::{Compression, Format, WriterOptions};
use saltus_types::cdr::Dialect;

use crate::exit::{Code, Failure, Outcome};

/// How MCAP files are written.
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

/// In which language viewers are told what messages are.
#[derive(Args)]
pub(crate) struct Schema {
    /// Schema language for viewers
    #[arg(long, value_enum, default_value_t = Language::Ros2msg)]
    schema: Language,
}

/// Kinds of compression.
#[derive(Clone, Copy, ValueEnum)]
enum Packing {
    /// No compression
    None,
    /// Fast compression
    Lz4,
    /// Strong compression
    Zstd,
}

/// Languages for schemas.
#[derive(Clone, Copy, ValueEnum)]
enum Language {
    /// ROS 2 message definitions, for all viewers
    Ros2msg,
    /// OMG IDL, which keeps names as they are
    Omgidl,
}

/// The format that the name of a log asks for, in the same words in every command.
pub(crate) fn format_of(path: &Path) -> Outcome<Format> {
    Format::of_name(path).ok_or_else(|| {
        let shown = path.display();
        let words = format!("unknown format of `{shown}`: expected a name that ends in .mcap or .lcmlog");
        Failure::new(Code::Usage, words)
    })
}

impl Mcap {
    /// What that means for a writer.
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
    /// The language.
    pub(crate) fn dialect(&self) -> Dialect {
        match self.schema {
            Language::Ros2msg => Dialect::Ros2Msg,
            Language::Omgidl => Dialect::OmgIdl,
        }
    }
}
