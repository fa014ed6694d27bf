//! Domains.

use crate::errors::{OrRaise, code, error};
use crate::names;
use crate::publisher::Publisher;
use crate::subscriber::Subscriber;
use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use saltus_channel::{Description, Start};
use saltus_domain::{Options, Pattern};
use std::ffi::CString;
use std::sync::{Mutex, PoisonError};

/// The channels of one URL, such as "shm://", "mem://", "udpm://239.255.76.67:7667?ttl=1" or "file:///tmp/robot.log".
/// The default is the URL in the environment variable SALTUS_DOMAIN, else "shm://". Any number of threads may use it.
#[pyclass(frozen, module = "saltus")]
pub(crate) struct Domain {
    inner: Mutex<Option<saltus_domain::Domain>>,
    /// The URL that it was opened with.
    #[pyo3(get)]
    url: String,
}

impl Domain {
    /// A clone, so that no thread waits for the lock.
    fn get(&self, py: Python<'_>) -> PyResult<saltus_domain::Domain> {
        let inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.clone().ok_or_else(|| error(py, code::CLOSED, "this domain is closed"))
    }
}

/// The type that a class of messages describes. The schema is empty if it is unknown, as for some classes of LCM's generator.
pub(crate) fn described(class: &Bound<'_, PyAny>) -> PyResult<Description> {
    static DESCRIBED: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = class.py();
    let found = DESCRIBED.import(py, "saltus._typed", "described")?.call1((class,))?;
    let (name, fingerprint, schema) = found.extract()?;
    Ok(Description { name, fingerprint, schema })
}

/// Whether a name looks like a regular expression, and not like a usual channel name: `imu[0]`, `arm(left)` and `a+b` are names.
fn is_like_expression(name: &[u8]) -> bool {
    let repeats = |pair: &[u8]| matches!(pair, [b'.' | b']' | b')', b'+' | b'{']);
    let is_class = |inner: &[u8]| match inner.iter().position(|&c| c == b']') {
        Some(end) => inner[..end].contains(&b'-'),
        None => false,
    };
    name.iter().any(|c| b"*?|^$\\".contains(c))
        || name.windows(2).any(repeats)
        || name.split(|&c| c == b'[').skip(1).any(is_class)
}

/// Warns about a name that its author may mean as a regular expression, because LCM would use it as one.
fn warn_of_expression(channel: &Bound<'_, PyAny>, name: &[u8]) -> PyResult<()> {
    if !is_like_expression(name) {
        return Ok(());
    }
    let (py, shown) = (channel.py(), channel.repr()?.to_string());
    let text = format!(
        "subscribe({shown}) is for the one channel of that name; for all channels that match an expression, use re.compile({shown})"
    );
    let text = CString::new(text.replace('\0', "\\0")).unwrap_or_default();
    PyErr::warn(py, &py.get_type::<PyUserWarning>(), &text, 1)
}

/// Which channels: a name, a compiled regular expression, or None for all.
fn pattern(channel: Option<&Bound<'_, PyAny>>) -> PyResult<Pattern> {
    let Some(channel) = channel else { return Ok(Pattern::all()) };
    let py = channel.py();
    if let Ok(expression) = channel.getattr("pattern") {
        const UNICODE: u32 = 32;
        let flags: u32 = channel.getattr("flags")?.extract()?;
        if flags & !UNICODE != 0 {
            let what = "flags of re are not known here: write them into the expression, as (?i)";
            return Err(error(py, code::INVALID, what));
        }
        let expression: String = expression.extract()?;
        return Pattern::regex(&expression).or_raise(py);
    }
    let name = names::to_bytes(channel)?;
    warn_of_expression(channel, &name)?;
    Pattern::name(name).or_raise(py)
}

#[pymethods]
impl Domain {
    #[new]
    #[pyo3(signature = (url=None))]
    fn new(py: Python<'_>, url: Option<String>) -> PyResult<Domain> {
        let inner = py.detach(|| saltus_domain::Domain::open(&url.unwrap_or_default())).or_raise(py)?;
        let url = inner.url().to_string();
        Ok(Domain { inner: Mutex::new(Some(inner)), url })
    }

    /// Opens a publisher in a channel.
    ///
    /// channel (str or bytes): its name, of 1 to 63 bytes.
    /// type: a class made by saltus.types.load(), `saltus gen --lang python`, or `lcm-gen -p`, or None for bytes. The type is
    ///     registered with the channel if the transport keeps types, and if the class has a schema or lets Saltus derive it.
    #[pyo3(signature = (channel, r#type=None))]
    fn publisher(
        &self,
        channel: &Bound<'_, PyAny>,
        r#type: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Publisher> {
        let py = channel.py();
        let (domain, name) = (self.get(py)?, names::to_bytes(channel)?);
        let what = r#type.map(described).transpose()?;
        let publisher = py.detach(|| match &what {
            Some(what) if !what.schema.is_empty() => domain.publisher_described(&name, what),
            _ => domain.publisher(&name),
        });
        let channel = names::to_str(py, &name)?.unbind();
        let class = r#type.map(|class| class.clone().unbind());
        Ok(Publisher::new(publisher.or_raise(py)?, channel, class, !domain.traits().publish_waits))
    }

    /// Subscribes to one channel or many.
    ///
    /// channel: a str or bytes is the name of one channel. A re.Pattern, from re.compile(), means all channels whose whole name it
    ///     matches, in the syntax of the Rust crate regex. None means all channels.
    /// newest (bool): receive only the newest message each time. Otherwise messages are received in order.
    /// depth (int or None): the most messages of a channel that wait; if more arrive, the oldest are dropped. Over shm://, a channel
    ///     that keeps fewer is replaced with a deeper one, or this raises an error that names the remedy. None: up to 1000 wait,
    ///     if the channel keeps that many.
    /// start (str): where to start in channels that exist: "newest" (the newest message is the first), "now" (only
    ///     later messages), "oldest" (all messages kept).
    /// type: a class made by saltus.types.load(), `saltus gen --lang python`, or `lcm-gen -p`. Messages then have a `value` of
    ///     this class. Other messages raise WrongType once for each channel and type, and are then skipped.
    ///
    /// Warns (UserWarning) about a name that looks like a regular expression.
    #[pyo3(
        signature = (channel, *, newest=false, depth=None, start="newest".to_string(), r#type=None),
        text_signature = "($self, channel, *, newest=False, depth=None, start='newest', type=None)"
    )]
    fn subscribe(
        &self,
        py: Python<'_>,
        channel: Option<&Bound<'_, PyAny>>,
        newest: bool,
        depth: Option<i64>,
        start: String,
        r#type: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Subscriber> {
        let domain = self.get(py)?;
        let pattern = pattern(channel)?;
        let start = match start.as_str() {
            "newest" => Start::Newest,
            "now" => Start::Now,
            "oldest" => Start::Oldest,
            other => {
                let text = format!("start={other:?}: it is \"newest\", \"now\" or \"oldest\"");
                return Err(error(py, code::INVALID, text));
            }
        };
        let depth = match depth {
            Some(depth) if newest || depth < 1 => {
                let words = match newest {
                    true => "with newest=True only one message waits: omit depth",
                    false => "give 1 or more, or None",
                };
                return Err(error(py, code::INVALID, format!("depth={depth}: {words}")));
            }
            depth => depth.map(i64::unsigned_abs),
        };
        let what = channel.map_or(Ok("all channels".to_string()), |channel| {
            channel.repr().map(|shown| shown.to_string())
        })?;
        let what = match depth {
            _ if newest => format!("{what}, newest"),
            Some(depth) => format!("{what}, depth {depth}"),
            None => what,
        };
        let options = match depth {
            _ if newest => Options::newest(),
            Some(depth) => Options::next(depth),
            None => Options::next(1000).at_most(),
        };
        let options = options.start(start);
        let of = match r#type {
            Some(class) => Some((class.clone().unbind(), described(class)?)),
            None => None,
        };
        let subscriber = py.detach(|| match &of {
            Some((_, what)) if !what.schema.is_empty() => domain.subscriber_described(pattern, options, what),
            _ => domain.subscriber_with(pattern, options),
        });
        Subscriber::new(py, subscriber.or_raise(py)?, of, what)
    }

    /// The names of the domain's channels: all of a domain in shared memory or of a log. On a network, those that this process
    /// subscribes to and that had traffic.
    fn channels<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let domain = self.get(py)?;
        let names = py.detach(|| domain.channels()).or_raise(py)?;
        names.iter().map(|name| names::to_str(py, name.as_bytes())).collect()
    }

    /// Closes the domain. Its publishers and subscribers stay open.
    fn close(&self, py: Python<'_>) {
        let inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner).take();
        py.detach(|| drop(inner));
    }
    /// Whether the domain is closed.
    #[getter]
    fn closed(&self) -> bool {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner).is_none()
    }
    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }
    fn __exit__(&self, py: Python<'_>, _type: Py<PyAny>, _value: Py<PyAny>, _traceback: Py<PyAny>) {
        self.close(py);
    }
    fn __repr__(&self) -> String {
        format!("saltus.Domain({:?})", self.url)
    }
}
