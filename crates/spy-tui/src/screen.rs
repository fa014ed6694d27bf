//! Takes over the terminal, draws on it, and restores it on every exit.

use std::io::{self, Stdout, Write};
use std::panic;
use std::time::{Duration, Instant};

use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::event::{self, DisableMouseCapture, EnableMouseCapture, Event};
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui::crossterm::{cursor, execute};
use saltus_os::stop;
use saltus_spy::{Column, Watch};

use crate::app::App;
use crate::draw::draw;
use crate::keys::{self, Places};
use crate::plot;
use crate::theme::Theme;

/// Time between two updates of the screen.
const FRAME: Duration = Duration::from_millis(100);
/// Longest delay before a signal is noticed.
const GLANCE: Duration = Duration::from_millis(50);

/// The terminal in raw mode, on the alternate screen.
struct Screen {
    terminal: Terminal<CrosstermBackend<Stdout>>,
}

impl Screen {
    fn take(mouse: bool) -> io::Result<Screen> {
        // A panic's message must not disappear with the alternate screen.
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            give_back();
            before(info);
        }));
        enable_raw_mode()?;
        let mut out = io::stdout();
        execute!(out, EnterAlternateScreen, cursor::Hide)?;
        if mouse {
            execute!(out, EnableMouseCapture)?;
        }
        Ok(Screen { terminal: Terminal::new(CrosstermBackend::new(out))? })
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        give_back();
    }
}

/// Restores the terminal. Ignores errors: the terminal may be gone.
fn give_back() {
    let mut out = io::stdout();
    let _ = execute!(out, DisableMouseCapture, LeaveAlternateScreen, cursor::Show);
    let _ = out.flush();
    let _ = disable_raw_mode();
}

/// Shows the channels until a key ends it, or `stopped` returns true.
///
/// # Errors
/// The terminal cannot be used.
pub fn run(watch: &Watch, mouse: bool, stopped: impl Fn() -> bool) -> io::Result<()> {
    // Also restores what was set before an error.
    let mut screen = Screen::take(mouse).inspect_err(|_| give_back())?;
    // After a hang-up there is nothing to restore, and the library that reads keys would read end-of-file forever.
    stop::exit_when_output_hangs_up()?;
    let (mut app, theme, mut places) = (App::new(), Theme::of_environment(), Places::default());
    let (mut due, mut reported) = (Instant::now(), 0);
    while !stopped() && !app.quit {
        if Instant::now() >= due {
            due = Instant::now() + FRAME;
            for trouble in watch.troubles(&mut reported) {
                app.warn(format!("{}: {}", trouble.domain, trouble.words));
            }
            let model = watch.model();
            app.refresh(&model);
            let plotted = plot::lines(&app, &model);
            drop(model);
            screen.terminal.draw(|frame| draw(frame, &mut app, &plotted, theme, &mut places))?;
        }
        let wait = due.saturating_duration_since(Instant::now()).min(GLANCE);
        if !event::poll(wait)? {
            continue;
        }
        let columns: Vec<Column> = places.headings.iter().map(|(column, ..)| *column).collect();
        let mut model = watch.model();
        match event::read()? {
            Event::Key(key) => keys::key(&mut app, &mut model, key, &columns),
            Event::Mouse(mouse) => keys::mouse(&mut app, &mut model, mouse, &places),
            _ => {}
        }
        // Draws the effect of a key immediately.
        due = Instant::now();
    }
    Ok(())
}
