//! The files of the page, embedded in the binary, and views from a directory.

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use std::path::{Path, PathBuf};

/// Files of the page, with their types.
macro_rules! files {
    ($($name:literal)*) => {
        &[$(($name, include_bytes!(concat!("../assets/", $name)))),*]
    };
}

const FILES: &[(&str, &[u8])] = files! {
    "index.html" "style.css" "cards.css" "main.js" "net.js" "dom.js" "format.js" "table.js" "tree.js" "plot.js" "cards.js" "player.js"
    "views/index.js" "views/laser.js" "views/image.js" "views/pose.js" "views/balance.js" "views/latencies.js" "views/latency.js" "views/graph.js"
    "icon.svg" "vendor/uPlot.esm.js" "vendor/uPlot.min.css" "vendor/uPlot.LICENSE"
};

/// Longest view that is served.
const LONGEST: u64 = 4 << 20;
/// Most views that are listed.
const MOST: usize = 64;

/// Returns the file of the page at this path.
pub(crate) fn file(path: &str) -> Response {
    let name = if path == "/" { "index.html" } else { path.trim_start_matches('/') };
    match FILES.iter().find(|(found, _)| *found == name) {
        Some((name, bytes)) => answer(name, bytes.to_vec()),
        None => (StatusCode::NOT_FOUND, "no such file\n").into_response(),
    }
}

fn answer(name: &str, bytes: Vec<u8>) -> Response {
    let kind = match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("svg") => "image/svg+xml",
        _ => "text/plain; charset=utf-8",
    };
    ([(header::CONTENT_TYPE, kind)], bytes).into_response()
}

/// The directory with the user's own views.
#[derive(Debug)]
pub(crate) struct Views(pub Option<PathBuf>);

impl Views {
    /// The names of the existing views, sorted.
    pub fn names(&self) -> Vec<String> {
        let entries = self.0.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        let mut names: Vec<String> = names.filter(|name| is_view(name)).take(MOST).collect();
        names.sort();
        names
    }

    /// Returns the view with this name.
    pub fn file(&self, name: &str) -> Response {
        let found = self.0.as_ref().filter(|_| is_view(name)).and_then(|folder| read(&folder.join(name)));
        match found {
            Some(bytes) => answer(name, bytes),
            None => (StatusCode::NOT_FOUND, "no such view, or it is longer than 4 MiB\n").into_response(),
        }
    }
}

/// Safe file names, which cannot leave the directory: letters, digits, `_`, `-` and `.js`.
fn is_view(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    name.strip_suffix(".js").is_some_and(|stem| !stem.is_empty() && stem.chars().all(plain))
}

fn read(path: &Path) -> Option<Vec<u8>> {
    let found = std::fs::metadata(path).ok()?;
    (found.is_file() && found.len() <= LONGEST).then(|| std::fs::read(path).ok())?
}
