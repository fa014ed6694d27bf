//! A real terminal: tmux draws, the test reads the screen.

use std::fs::{self, File};
use std::os::fd::{FromRawFd, OwnedFd};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use super::{PATIENCE, Place};

/// A terminal of a separate tmux server.
pub struct Terminal {
    socket: String,
}

impl Terminal {
    /// Runs the command with these arguments in a terminal of this size, and in a directory for its files. After it exits, its exit code
    /// stays on the screen.
    pub fn new(place: &Place, here: &Path, (columns, lines): (u16, u16), arguments: &str) -> Terminal {
        let here = here.display().to_string();
        let terminal = Terminal { socket: format!("{here}/tmux") };
        let saltus = env!("CARGO_BIN_EXE_saltus");
        // A shell follows, which shows whether the terminal was restored.
        let line = format!("cd {here}; '{saltus}' {arguments}; echo ended with $?; exec cat");
        let url = format!("SALTUS_DOMAIN={}", place.url());
        let (x, y) = (columns.to_string(), lines.to_string());
        terminal.tmux(&["new-session", "-d", "-x", &x, "-y", &y, "-e", &url, &line]);
        terminal
    }
    fn tmux(&self, arguments: &[&str]) -> String {
        let mut tmux = Command::new("tmux");
        tmux.args(["-f", "/dev/null", "-S", &self.socket]).args(arguments).env("LC_ALL", "C.UTF-8");
        let out = tmux
            .env("TERM", "xterm-256color")
            .output()
            .expect("tmux is installed: cargo xtask test does that");
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        String::from_utf8(out.stdout).expect("the screen is text")
    }
    /// The text on the screen.
    pub fn screen(&self) -> String {
        self.tmux(&["capture-pane", "-p"])
    }
    /// Saves the screen under target/screenshots.
    pub fn picture(&self, name: &str) {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/screenshots");
        fs::create_dir_all(&folder).expect("room for a picture");
        fs::write(folder.join(name), self.screen()).expect("room for a picture");
    }
    /// Presses keys, by tmux's names.
    pub fn press(&self, keys: &[&str]) {
        self.tmux(&[&["send-keys"], keys].concat());
    }
    /// The process in the terminal, a child of the shell.
    pub fn child(&self) -> i32 {
        let shell = self.tmux(&["display-message", "-p", "#{pane_pid}"]);
        let shell = shell.trim();
        let children =
            fs::read_to_string(format!("/proc/{shell}/task/{shell}/children")).expect("the shell runs");
        children.trim().parse().expect("it has one child")
    }
    /// Waits until the screen satisfies the condition, and returns it.
    #[track_caller]
    pub fn until(&self, what: &str, is_so: impl Fn(&str) -> bool) -> String {
        let end = Instant::now() + PATIENCE;
        loop {
            let screen = self.screen();
            if is_so(&screen) {
                return screen;
            }
            assert!(Instant::now() < end, "never seen: {what}\n{screen}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = Command::new("tmux").args(["-S", &self.socket, "kill-server"]).output();
    }
}

/// A pseudoterminal of this size: the user's end, and the command's end.
pub fn pty(rows: u16, columns: u16) -> (File, File) {
    let (mut master, mut terminal) = (0, 0);
    let size = libc::winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    // SAFETY: both descriptors and the size live on this stack frame; no name and no modes are requested.
    let done =
        unsafe { libc::openpty(&mut master, &mut terminal, std::ptr::null_mut(), std::ptr::null(), &size) };
    assert_eq!(done, 0, "a pseudo-terminal can be had");
    // SAFETY: both were just opened, and have no other owner.
    [master, terminal].map(|fd| File::from(unsafe { OwnedFd::from_raw_fd(fd) })).into()
}
