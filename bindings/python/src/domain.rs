//! Domains.

use crate::errors::{OrRaise, code, error};
use crate::names;
use crate::publisher::Publisher;
use crate::subscriber::Subscriber;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use saltus_channel::{Description, Start};
use saltus_domain::{Options, Pattern};
use std::sync::{Mutex, PoisonError};

/// Channels that are reached by one URL: "shm://", "mem://", "udpm://239.255.76.67:7667?ttl=1", "file:///tmp/robot.log", ….
/// Without a URL, what the environment variable SALTUS_DOMAIN says, or else "shm://". Any number of threads may use it.
#[pyclass(frozen, module = "saltus")]
pub(crate) struct Domain {
    inner: Mutex<Option<saltus_domain::Domain>>,
    /// The URL that it was opened with.
    #[pyo3(get)]
    url: String,
}

impl Domain {
    /// A clone, so that nobody waits for the lock.
    fn get(&self, py: Python<'_>) -> PyResult<saltus_domain::Domain> {
        let inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.clone().ok_or_else(|| error(py, code::CLOSED, "this domain is closed"))
    }
}

/// What a class of messages says about itself.
fn described(class: &Bound<'_, PyAny>) -> PyResult<Description> {
    let get = || -> PyResult<Description> {
        Ok(Description {
            name: class.getattr("NAME")?.extract()?,
            fingerprint: class.getattr("FINGERPRINT")?.extract()?,
            schema: class.getattr("SCHEMA")?.extract()?,
        })
    };
    get().map_err(|cause| {
        let what = "a type is a class made by saltus.types.load() or `saltus gen --lang python`";
        let error = PyTypeError::new_err(format!("{what}, not {}", names::kind(class)));
        error.set_cause(class.py(), Some(cause));
        error
    })
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
    Pattern::name(names::to_bytes(channel)?).or_raise(py)
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

    /// A publisher in a channel, whose name has 1 to 63 bytes. With a type, a class made by saltus.types.load() or generated, it
    /// publishes messages of that type, and says so where there is a place for it.
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
            Some(what) => domain.publisher_described(&name, what),
            None => domain.publisher(&name),
        });
        let channel = names::to_str(py, &name)?.unbind();
        let class = r#type.map(|class| class.clone().unbind());
        Ok(Publisher::new(publisher.or_raise(py)?, channel, class, !domain.traits().publish_waits))
    }

    /// A subscriber of a channel by its name, of all whose whole name a regular expression of re.compile() matches (in the syntax of
    /// Rust's crate regex), or, with None, of all.
    ///
    /// It gets all messages in their order while no more than `depth` of a channel are waiting, or, with newest=True, the newest
    /// one each time. Over shm://, a depth that is given holds: a channel that keeps fewer messages is replaced by a deeper one, or this
    /// raises an error that names what helps. Without one, up to 1000 wait, if the channel keeps that many. `start` says where to start in channels that are there already: "newest" (the newest present is the first),
    /// "now" (what comes from now on), "oldest" (everything still kept). With a type, messages have a `value`, and those of another type raise WrongType
    /// once and are passed over.
    #[pyo3(signature = (channel, *, newest=false, depth=None, start="newest".to_string(), r#type=None))]
    fn subscribe(
        &self,
        py: Python<'_>,
        channel: Option<&Bound<'_, PyAny>>,
        newest: bool,
        depth: Option<u64>,
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
            Some((_, what)) => domain.subscriber_described(pattern, options, what),
            None => domain.subscriber_with(pattern, options),
        });
        Ok(Subscriber::new(subscriber.or_raise(py)?, of))
    }

    /// Names of the channels that there are: all in shared memory; on a network those that somebody here wants and that something
    /// came on.
    fn channels<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let domain = self.get(py)?;
        let names = py.detach(|| domain.channels()).or_raise(py)?;
        names.iter().map(|name| names::to_str(py, name.as_bytes())).collect()
    }

    /// Closes it. Its publishers and subscribers stay open.
    fn close(&self, py: Python<'_>) {
        let inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner).take();
        py.detach(|| drop(inner));
    }
    /// Whether it is closed.
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
