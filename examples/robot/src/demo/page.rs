//! The robot in a browser: the spy's page, served by a process of this same executable.

use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::channels::LIDAR;
use crate::error::{Error, Result};
use crate::sys;

/// Time for the server to start, and to stop.
const PATIENCE: Duration = Duration::from_secs(10);

/// A running server. It stops when this is dropped, or when the supervisor dies.
pub struct Page {
    server: Child,
    url: String,
}

impl Page {
    /// Starts this executable with `arguments`, for the domain. It must print the URL of its page as its first line.
    ///
    /// # Errors
    /// It could not be started, or stopped before it printed its URL: the error contains what it wrote.
    pub fn open(arguments: &[String], domain: &str) -> Result<Page> {
        let mut command = Command::new("/proc/self/exe");
        command.args(["--domain", domain]).args(arguments);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // SAFETY: between fork and exec the closure makes one system call and allocates nothing.
        unsafe { command.pre_exec(sys::die_with_parent) };
        let mut server = command.spawn().map_err(Error::system("start the page's server"))?;
        let (out, err) = (server.stdout.take().expect("piped"), server.stderr.take().expect("piped"));
        let mut page = Page { server, url: String::new() };
        let (found, url) = mpsc::channel();
        // Reads until the server exits, so that its output never blocks.
        thread::spawn(move || {
            let mut out = BufReader::new(out);
            let mut line = String::new();
            let _ = out.read_line(&mut line); // without a line, the server has stopped
            let _ = found.send(line.trim().to_owned());
            let _ = std::io::copy(&mut out, &mut std::io::sink());
        });
        let (said, words) = mpsc::channel();
        thread::spawn(move || {
            let mut text = String::new();
            let mut err = BufReader::new(err);
            let _ = err.by_ref().take(4096).read_to_string(&mut text); // its output matters, not its exit status
            let _ = said.send(text);
            let _ = std::io::copy(&mut err, &mut std::io::sink());
        });
        page.url = url.recv_timeout(PATIENCE).unwrap_or_default();
        if page.url.is_empty() {
            page.stop();
            let why = words.recv_timeout(PATIENCE).unwrap_or_default();
            return Err(Error::InTheWay(format!("the page was not served: {}", why.trim())));
        }
        Ok(page)
    }

    /// The page with the robot, its scans, and plots of the balance.
    pub fn url(&self) -> String {
        format!("{}#open=truth@balance,{LIDAR}&plot=truth:tilt,truth:left,truth:x", self.url)
    }

    fn stop(&mut self) {
        sys::signal(self.server.id(), libc::SIGTERM);
        let until = Instant::now() + PATIENCE;
        while matches!(self.server.try_wait(), Ok(None)) && Instant::now() < until {
            thread::sleep(Duration::from_millis(5));
        }
        let _ = self.server.kill(); // it may have exited
        let _ = self.server.wait();
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        self.stop();
    }
}
