//! `robot-picture`: watches a demo that runs in `SALTUS_DOMAIN` for some seconds, and prints its screen as an SVG.

use std::process::ExitCode;

fn main() -> ExitCode {
    match saltus_robot::demo::screen::picture() {
        Ok(svg) => {
            print!("{svg}");
            ExitCode::SUCCESS
        }
        Err(e) => {
            eprintln!("robot-picture: {e}");
            ExitCode::FAILURE
        }
    }
}
