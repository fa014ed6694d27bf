//! Headless Chromium, controlled by its DevTools protocol.

use serde_json::{Value as Json, json};
use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tungstenite::{Message, WebSocket};

/// Timeout for any step, on a busy machine.
const LONG: Duration = Duration::from_secs(60);

/// Whether a canvas has more than one color.
pub const DRAWN: &str = "(canvas => { if (!canvas || !canvas.width) return false; const d = canvas.getContext('2d')\
    .getImageData(0, 0, canvas.width, canvas.height).data; const seen = new Set(); for (let i = 0; i < d.length; i += 4) \
    seen.add(d[i] << 16 | d[i + 1] << 8 | d[i + 2]); return seen.size > 3 })";

/// A directory that is removed on drop.
struct Profile(PathBuf);

impl Drop for Profile {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A process that is killed with its test.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill(); // it may have exited
        let _ = self.0.wait();
    }
}

/// A browser with one page.
pub struct Chromium {
    process: Process,
    /// The browser writes there until it exits.
    _profile: Profile,
    socket: WebSocket<TcpStream>,
    target: Json,
    session: String,
    next: u64,
    /// Errors of the page's own code.
    pub complaints: Vec<String>,
}

impl Chromium {
    pub fn start(width: u32, height: u32) -> Chromium {
        let profile =
            std::env::temp_dir().join(format!("saltus-web-chromium-{}-{width}", std::process::id()));
        std::fs::create_dir_all(&profile).unwrap();
        let profile = Profile(profile);
        let mut command = Command::new("chromium");
        command.env("TMPDIR", &profile.0); // for files that it does not remove
        command.args([
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--no-first-run",
        ]);
        command.args([
            "--disable-extensions",
            "--disable-background-networking",
            "--hide-scrollbars",
            "--remote-debugging-port=0",
        ]);
        command
            .arg(format!("--window-size={width},{height}"))
            .arg(format!("--user-data-dir={}", profile.0.display()));
        let child = command.arg("about:blank").stderr(Stdio::piped()).stdout(Stdio::null()).spawn();
        let child = child.expect("Debian's package chromium is needed: `cargo xtask test` installs it");
        let mut process = Process(child);
        let mut lines = BufReader::new(process.0.stderr.take().unwrap()).lines().map_while(Result::ok);
        let url = lines.find_map(|line| line.strip_prefix("DevTools listening on ").map(String::from));
        let url = url.expect("Chromium says where it listens");
        // Later output would fill the pipe.
        std::thread::spawn(move || lines.for_each(drop));
        let address = url.strip_prefix("ws://").unwrap().split('/').next().unwrap();
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(LONG)).unwrap();
        let (socket, _) = tungstenite::client(url.as_str(), stream).unwrap();
        let mut chromium = Chromium {
            process,
            _profile: profile,
            socket,
            target: Json::Null,
            session: String::new(),
            next: 0,
            complaints: Vec::new(),
        };
        chromium.target = chromium.tab();
        let attach = json!({ "targetId": chromium.target, "flatten": true });
        chromium.session =
            chromium.call("Target.attachToTarget", attach)["sessionId"].as_str().unwrap().into();
        for domain in ["Runtime", "Page", "Log"] {
            chromium.call(&format!("{domain}.enable"), json!({}));
        }
        chromium.size(width, height);
        chromium
    }

    /// Sets the size of the page in pixels.
    pub fn size(&mut self, width: u32, height: u32) {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", size);
    }

    /// Presses a key: `Tab`, `Enter`, `Escape`, `ArrowDown`, or a character.
    pub fn press(&mut self, key: &str) {
        let (code, text) = match key {
            "Tab" => (9, ""),
            "Enter" => (13, "\r"),
            "Escape" => (27, ""),
            "ArrowDown" => (40, ""),
            character => (0, character),
        };
        let event = json!({ "type": "keyDown", "key": key, "windowsVirtualKeyCode": code, "text": text });
        self.call("Input.dispatchKeyEvent", event);
        self.call(
            "Input.dispatchKeyEvent",
            json!({ "type": "keyUp", "key": key, "windowsVirtualKeyCode": code }),
        );
    }

    /// Calls a method of the protocol.
    pub fn call(&mut self, method: &str, params: Json) -> Json {
        self.next += 1;
        let mut request = json!({ "id": self.next, "method": method, "params": params });
        if !self.session.is_empty() {
            request["sessionId"] = json!(self.session);
        }
        self.socket.send(Message::text(request.to_string())).unwrap();
        loop {
            let Message::Text(text) = self.socket.read().unwrap() else { continue };
            let mut answer: Json = serde_json::from_str(&text).unwrap();
            if answer["id"] == self.next {
                assert!(answer["error"].is_null(), "{method}: {answer}");
                return answer["result"].take();
            }
            let entry = &answer["params"]["entry"];
            if answer["method"] == "Runtime.exceptionThrown" || entry["level"] == "error" {
                self.complaints.push(answer["params"].to_string());
            }
        }
    }

    pub fn open(&mut self, url: &str) {
        self.call("Page.navigate", json!({ "url": "about:blank" }));
        self.call("Page.navigate", json!({ "url": url }));
    }
    pub fn scheme(&mut self, dark: bool) {
        let value = if dark { "dark" } else { "light" };
        self.call(
            "Emulation.setEmulatedMedia",
            json!({ "features": [{ "name": "prefers-color-scheme", "value": value }] }),
        );
    }
    /// Calls a method of the browser, not of the page.
    fn call_browser(&mut self, method: &str, params: Json) -> Json {
        let session = std::mem::take(&mut self.session);
        let answer = self.call(method, params);
        self.session = session;
        answer
    }
    /// Opens a new tab in front of the others.
    fn tab(&mut self) -> Json {
        self.call_browser("Target.createTarget", json!({ "url": "about:blank" }))["targetId"].take()
    }
    /// Runs `action` while another tab is in front of the page.
    pub fn hidden(&mut self, work: impl FnOnce(&mut Chromium)) {
        let other = self.tab();
        self.wait("document.hidden");
        work(self);
        self.call_browser("Target.activateTarget", json!({ "targetId": self.target }));
        self.wait("!document.hidden");
        self.call_browser("Target.closeTarget", json!({ "targetId": other }));
    }
    /// Its processes, with the CPU time they have used.
    pub fn processes(&mut self) -> Json {
        self.call_browser("SystemInfo.getProcessInfo", json!({}))["processInfo"].take()
    }
    /// The value of an expression.
    pub fn eval(&mut self, expression: &str) -> Json {
        let params = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let mut answer = self.call("Runtime.evaluate", params);
        answer["result"]["value"].take()
    }
    /// Waits until an expression is true.
    pub fn wait(&mut self, expression: &str) {
        let start = Instant::now();
        while self.eval(expression) != true {
            assert!(start.elapsed() < LONG, "not within {LONG:?}: {expression}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
    /// Clicks on the element with the mouse.
    pub fn click(&mut self, selector: &str) {
        let script = format!(
            "(() => {{ const b = document.querySelector({selector:?}).getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2] }})()"
        );
        let at = self.eval(&script);
        for kind in ["mousePressed", "mouseReleased"] {
            let event = json!({ "type": kind, "x": at[0], "y": at[1], "button": "left", "clickCount": 1 });
            self.call("Input.dispatchMouseEvent", event);
        }
    }
    /// Saves a screenshot under target/screenshots.
    pub fn picture(&mut self, name: &str) {
        let data = self.call("Page.captureScreenshot", json!({ "format": "png" }))["data"].take();
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/screenshots");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(name), decode(data.as_str().unwrap())).unwrap();
    }
}

impl Drop for Chromium {
    /// Lets it exit by itself, so that its child processes exit first, and none writes to the profile any more.
    fn drop(&mut self) {
        let close = json!({ "id": self.next + 1, "method": "Browser.close" });
        let _ = self.socket.send(Message::text(close.to_string()));
        let end = Instant::now() + Duration::from_secs(10);
        while matches!(self.process.0.try_wait(), Ok(None)) && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

/// Base64.
fn decode(text: &str) -> Vec<u8> {
    let digit = |c: u8| match c {
        b'A'..=b'Z' => c - b'A',
        b'a'..=b'z' => c - b'a' + 26,
        b'0'..=b'9' => c - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let digits: Vec<u32> = text.bytes().filter(|c| *c != b'=').map(|c| u32::from(digit(c))).collect();
    let bytes = digits.chunks(4).flat_map(|four| {
        let all = four.iter().enumerate().fold(0, |all, (i, d)| all | d << (18 - 6 * i));
        all.to_be_bytes()[1..four.len()].to_vec()
    });
    bytes.collect()
}
