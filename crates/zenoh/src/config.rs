//! The configuration of a session: settings of the URL, then of its file, then Saltus' defaults, then Zenoh's.

use super::{key, words};
use saltus_transport::{Error, Result, Url};
use serde_json::{Value, json};
use zenoh::Config;
use zenoh::qos::CongestionControl;

const OPTIONS: &str = "mode, connect, listen, scouting, congestion, config";
/// Default port of Zenoh's routers.
const PORT: u16 = 7447;
/// The longest message sent or received, in bytes.
pub(super) const MOST_BYTES: usize = 256 << 20;

/// The options of a URL.
pub(super) struct Options {
    pub prefix: String,
    pub config: Config,
    pub congestion: CongestionControl,
}

pub(super) fn options(mut url: Url) -> Result<Options> {
    key::check(&url.network)?;
    let file: Option<String> = url.take("config", "a file")?;
    let mut tree = file.as_deref().map_or_else(|| Ok(json!({})), read)?;
    let mode: Option<String> = url.take("mode", "peer, client or router")?;
    if let Some(mode) = mode {
        if !["peer", "client", "router"].contains(&mode.as_str()) {
            return Err(url.invalid("`mode` must be peer, client or router"));
        }
        set(&mut tree, "mode", json!(mode));
    }
    for option in ["connect", "listen"] {
        if let Some(endpoints) = url.take::<String>(option, "endpoints")? {
            let endpoints: Vec<&str> = endpoints.split(',').filter(|text| !text.is_empty()).collect();
            if let Some(bad) = endpoints.iter().find(|text| !text.contains('/')) {
                let why = format!("`{option}={bad}`: expected, for example, {option}=tcp/10.0.0.1:{PORT}");
                return Err(url.invalid(&why));
            }
            set(&mut tree, &format!("{option}/endpoints"), json!(endpoints));
        }
    }
    match url.take::<String>("scouting", "on, off or interfaces")?.as_deref() {
        None => {}
        Some("off") => set(&mut tree, "scouting/multicast/enabled", json!(false)),
        Some(interfaces) => {
            let interfaces = if interfaces == "on" { "auto" } else { interfaces };
            set(&mut tree, "scouting/multicast/enabled", json!(true));
            set(&mut tree, "scouting/multicast/interface", json!(interfaces));
        }
    }
    let congestion = match url.take::<String>("congestion", "drop or block")?.as_deref() {
        None | Some("drop") => CongestionControl::Drop,
        Some("block") => CongestionControl::Block,
        Some(_) => return Err(url.invalid("`congestion` must be drop or block")),
    };
    url.finish(OPTIONS)?;
    fill_in(&mut tree);
    let config = Config::from_json5(&tree.to_string());
    let config = config.map_err(|e| url.invalid(&format!("Zenoh does not accept it: {}", words::of(&e))))?;
    Ok(Options { prefix: url.network, config, congestion })
}

/// Reads a configuration file in Zenoh's format.
fn read(file: &str) -> Result<Value> {
    let text = std::fs::read_to_string(file);
    let text = text.map_err(|e| Error::system(format!("read Zenoh's configuration `{file}`"), e))?;
    let bad = |why| Error::invalid(format!("Zenoh's configuration `{file}` is not JSON5: {why}"));
    match json5::from_str(&text) {
        Ok(tree @ Value::Object(_)) => Ok(tree),
        Ok(_) => Err(bad("it must begin with `{`".into())),
        Err(e) => Err(bad(e.to_string())),
    }
}

/// Fills in Saltus' defaults for missing settings: no traffic beyond this machine.
fn fill_in(tree: &mut Value) {
    let mode = tree.pointer("/mode").and_then(Value::as_str).unwrap_or("peer").to_owned();
    let connects = tree.pointer("/connect/endpoints").is_some_and(|all| *all != json!([]));
    // A peer connects to all peers that others know, on any machine: this is enabled only if the URL or the file
    // leads beyond this machine.
    let beyond = ["/listen/endpoints", "/scouting/multicast/interface"];
    let beyond = connects || beyond.iter().any(|path| tree.pointer(path).is_some());
    let listens = match mode.as_str() {
        "router" => json!([format!("tcp/127.0.0.1:{PORT}")]),
        "client" => json!([]),
        _ => json!(["tcp/127.0.0.1:0"]),
    };
    for (path, value) in [
        ("mode", json!(mode)),
        ("listen/endpoints", listens),
        ("scouting/multicast/enabled", json!(!connects)),
        ("scouting/multicast/interface", json!("127.0.0.1")),
        ("scouting/gossip/enabled", json!(beyond)),
        ("transport/link/rx/max_message_size", json!(MOST_BYTES + 1024)),
    ] {
        if tree.pointer(&format!("/{path}")).is_none() {
            set(tree, path, value);
        }
    }
}

/// Sets the value at `path`. A value that should be an object and is not stays, and Zenoh refuses it.
fn set(tree: &mut Value, path: &str, value: Value) {
    let mut at = tree;
    let mut parts = path.split('/').peekable();
    while let (Some(part), Value::Object(object)) = (parts.next(), at) {
        if parts.peek().is_none() {
            object.insert(part.into(), value);
            return;
        }
        at = object.entry(part).or_insert_with(|| json!({}));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(url: &str, key: &str) -> String {
        options(Url::parse(url).unwrap()).unwrap().config.get_json(key).unwrap()
    }
    fn refused(url: &str) -> String {
        options(Url::parse(url).unwrap()).err().expect(url).to_string()
    }

    #[test]
    fn reaches_this_machine_only_unless_the_url_requests_more() {
        let (listen, interface) = ("listen/endpoints", "scouting/multicast/interface");
        assert_eq!(said("zenoh://", "mode"), r#""peer""#);
        assert_eq!(said("zenoh://", listen), r#"["tcp/127.0.0.1:0"]"#);
        assert_eq!(said("zenoh://?mode=router", listen), r#"["tcp/127.0.0.1:7447"]"#);
        assert_eq!(said("zenoh://?mode=client", listen), "[]");
        assert_eq!(said("zenoh://", interface), r#""127.0.0.1""#);
        assert_eq!(said("zenoh://?scouting=on", interface), r#""auto""#);
        assert_eq!(said("zenoh://?scouting=eth0,eth1", interface), r#""eth0,eth1""#);
        for (url, expected) in [
            ("zenoh://a", "false"),
            ("zenoh://a?scouting=off", "false"),
            ("zenoh://a?scouting=eth0", "true"),
            ("zenoh://a?connect=tcp/h:1", "true"),
            ("zenoh://a?listen=tcp/0.0.0.0:0", "true"),
        ] {
            assert_eq!(said(url, "scouting/gossip/enabled"), expected, "{url}");
        }
        let enabled = "scouting/multicast/enabled";
        for (url, expected) in [
            ("zenoh://a", "true"),
            ("zenoh://a?scouting=off", "false"),
            ("zenoh://a?connect=tcp/h:1", "false"),
            ("zenoh://a?connect=tcp/h:1&scouting=on", "true"),
        ] {
            assert_eq!(said(url, enabled), expected, "{url}");
        }
        assert_eq!(
            said("zenoh://?listen=tcp/0.0.0.0:1,udp/0.0.0.0:2", listen),
            r#"["tcp/0.0.0.0:1","udp/0.0.0.0:2"]"#
        );
    }

    #[test]
    fn a_file_adds_options_missing_from_the_url() {
        let file = std::env::temp_dir().join(format!("saltus-zenoh-{}.json5", std::process::id()));
        let url = format!("zenoh://?config={}", file.display());
        std::fs::write(&file, "{ /* ours */ mode: 'router', listen: { endpoints: ['tcp/[::]:7450'] }, }")
            .unwrap();
        assert_eq!(said(&url, "mode"), r#""router""#);
        assert_eq!(said(&url, "listen/endpoints"), r#"["tcp/[::]:7450"]"#);
        assert_eq!(said(&url, "scouting/multicast/interface"), r#""127.0.0.1""#);
        assert_eq!(said(&format!("{url}&mode=peer"), "mode"), r#""peer""#);
        for (text, reported) in
            [("{", "JSON5"), ("[]", "begin"), ("{mode: 'king'}", "Zenoh"), ("{listen: 5}", "Zenoh")]
        {
            std::fs::write(&file, text).unwrap();
            assert!(refused(&url).contains(reported), "{text}: {}", refused(&url));
        }
        std::fs::remove_file(&file).unwrap();
        assert!(refused(&url).contains("read Zenoh's configuration"), "{}", refused(&url));
    }

    #[test]
    fn invalid_parameters_are_named() {
        for (url, reported) in [
            ("zenoh://?mode=king", "peer, client or router"),
            ("zenoh://?connect=10.0.0.1", "connect=tcp/10.0.0.1:7447"),
            ("zenoh://?listen=carrier-pigeon", "listen=tcp/"),
            ("zenoh://?congestion=wait", "drop or block"),
            ("zenoh://?ttl=1", "it has mode"),
            ("zenoh://a//b", "a//b"),
        ] {
            assert!(refused(url).contains(reported), "{}", refused(url));
        }
    }
}
