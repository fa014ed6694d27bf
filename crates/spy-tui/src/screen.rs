//! The terminal: taken, drawn on, and given back as it was, however this ends.

use std::io::{self, Stdout, Write};
use std::os::fd::AsFd;
use std::panic;
use std::thread;
use std::time::{Duration, Instant};

use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::event::{self, DisableMouseCapture, EnableMouseCapture, Event};
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui::crossterm::{cursor, execute};
use rustix::event::{PollFd, PollFlags, poll};
use saltus_os::process;
use saltus_spy::{Column, Watch};

use crate::app::App;
use crate::draw::draw;
use crate::keys::{self, Places};
use crate::plot;
use crate::theme::Theme;

/// The picture is new so often.
const FRAME: Duration = Duration::from_millis(100);
/// Signals are seen within this.
const GLANCE: Duration = Duration::from_millis(50);

/// The terminal while it is ours.
struct Screen {
    terminal: Terminal<CrosstermBackend<Stdout>>,
}

impl Screen {
    fn take(mouse: bool) -> io::Result<Screen> {
        // A panic's message must not vanish with the other screen.
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

/// Leaves the terminal as it was. Where it is gone, nothing can be done.
fn give_back() {
    let mut out = io::stdout();
    let _ = execute!(out, DisableMouseCapture, LeaveAlternateScreen, cursor::Show);
    let _ = out.flush();
    let _ = disable_raw_mode();
}

/// Ends the process when the terminal hangs up. Then there is nothing to be given back, and the library that reads keys would
/// read the end of them for ever.
fn end_with_the_terminal() -> io::Result<()> {
    let terminal = io::stdout().as_fd().try_clone_to_owned()?;
    let watch = move || {
        let mut terminal = [PollFd::new(&terminal, PollFlags::empty())];
        // Only a hang-up and errors come unasked.
        while !matches!(poll(&mut terminal, None), Ok(1..)) {}
        std::process::exit(0);
    };
    process::without_signals(|| thread::Builder::new().name("saltus-hangup".into()).spawn(watch)).map(drop)
}

/// Shows what comes until a key ends it, or `stopped` is true.
///
/// # Errors
/// The terminal cannot be used.
pub fn run(watch: &Watch, mouse: bool, stopped: impl Fn() -> bool) -> io::Result<()> {
    // What was set before an error is set back, too.
    let mut screen = Screen::take(mouse).inspect_err(|_| give_back())?;
    end_with_the_terminal()?;
    let (mut app, theme, mut places) = (App::new(), Theme::of_environment(), Places::default());
    let (mut due, mut told) = (Instant::now(), 0);
    while !stopped() && !app.quit {
        if Instant::now() >= due {
            due = Instant::now() + FRAME;
            for trouble in watch.troubles(&mut told) {
                app.tell(format!("{}: {}", trouble.domain, trouble.words));
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
        // What was asked for is seen at once.
        due = Instant::now();
    }
    Ok(())
}
