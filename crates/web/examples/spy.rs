//! A minimal spy in a browser: `cargo run -p saltus-web --example spy -- WORDS`.
//!
//! Each word is, by its form: with `://`, a domain to watch, or the domain into which logs are played; ending in `.lcm`, a type file;
//! `ADDR:PORT`, the address to listen on; a directory, your own views; anything else, a log.

use saltus_domain::Domain;
use saltus_spy::{Source, Watch};
use saltus_web::{Deck, Options, Server, Stop};
use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;

fn main() -> Result<(), Box<dyn Error>> {
    let (mut url, mut types, mut logs, mut views) = (None, Vec::new(), Vec::new(), None);
    let mut listen = "127.0.0.1:8760".parse()?;
    for word in std::env::args().skip(1) {
        let path = PathBuf::from(&word);
        if word.contains("://") {
            url = Some(word);
        } else if word.ends_with(".lcm") {
            types.push(Arc::new(saltus_types::load([path])?));
        } else if let Ok(address) = word.parse() {
            listen = address;
        } else if path.is_dir() {
            views = Some(path);
        } else {
            logs.push(path);
        }
    }
    let unless_told = if logs.is_empty() { "shm://" } else { "mem://" };
    let domain = Domain::open(url.as_deref().unwrap_or(unless_told))?;
    let stop = Stop::new();
    let deck = if logs.is_empty() { None } else { Some(Deck::start(&logs, &domain, &types, &stop)?) };
    let model = saltus_spy::Options { types, ..Default::default() };
    let watch = Watch::start(vec![Source::all(domain.clone())], model)?;
    let domains = vec![domain.url().to_string()];
    let server = Server::bind(Options { listen, token: false, watch, domains, deck, views }, &stop)?;
    println!("{}", server.url());
    Ok(server.run()?)
}
