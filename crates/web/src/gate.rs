//! Access control for pages and requests.
//!
//! On loopback, every program of the server's user may connect (`saltus-door` refuses other users), but no foreign web page. The requests of
//! such a page have its own name as their origin (cross-site WebSocket), or as the host (DNS rebinding). Beyond loopback, and there on request,
//! clients need a token: once in the URL, then in a cookie.

use axum::http::{HeaderMap, HeaderName, StatusCode, header};
use saltus_os::{peer, process};
use std::io;
use std::net::{IpAddr, SocketAddr};
use subtle::ConstantTimeEq;

/// Checks requests.
#[derive(Debug)]
pub(crate) struct Gate {
    /// The token; `None` on loopback, unless it was asked for.
    token: Option<String>,
    /// The cookie's name includes the port, because cookies are shared by all ports.
    cookie: String,
    /// Whether it listens on loopback only.
    local: bool,
}

/// A refusal as an HTTP response.
pub(crate) type Refusal = (StatusCode, &'static str);

const HOST: Refusal = (
    StatusCode::MISDIRECTED_REQUEST,
    "this server answers to localhost and to loopback addresses only: open the URL that it printed\n",
);
const ORIGIN: Refusal = (StatusCode::FORBIDDEN, "requests of other web sites are refused\n");
const TOKEN: Refusal =
    (StatusCode::UNAUTHORIZED, "a token is needed: open the whole URL that it printed, with ?token=\n");

impl Gate {
    /// The gate of a server that listens on this address. `token`: whether clients on this machine need one too. They always do where the
    /// system does not report their users.
    pub fn new(listen: SocketAddr, token: bool) -> io::Result<Gate> {
        let token = (token || !listen.ip().is_loopback() || !peer::REPORTS_USERS)
            .then(process::secret)
            .transpose()?;
        let (cookie, local) = (format!("saltus-{}", listen.port()), listen.ip().is_loopback());
        Ok(Gate { token, cookie, local })
    }

    /// Whether clients need a token.
    pub fn has_token(&self) -> bool {
        self.token.is_some()
    }
    /// The end of the URL.
    pub fn query(&self) -> String {
        self.token.as_ref().map(|token| format!("?token={token}")).unwrap_or_default()
    }

    /// Checks a request. Returns the cookie to set if its URL has the token.
    pub fn check(&self, headers: &HeaderMap, query: Option<&str>) -> Result<Option<String>, Refusal> {
        let host = text(headers, &header::HOST).ok_or(HOST)?;
        if self.local && !is_loopback(host) {
            return Err(HOST);
        }
        if headers.contains_key(header::ORIGIN) {
            let origin = text(headers, &header::ORIGIN).and_then(|origin| origin.split_once("://"));
            if origin.is_none_or(|(_, authority)| !authority.eq_ignore_ascii_case(host)) {
                return Err(ORIGIN);
            }
        }
        let Some(token) = &self.token else { return Ok(None) };
        let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut cookies = cookies.flat_map(|all| all.split(';')).filter_map(|one| one.trim().split_once('='));
        if cookies.any(|(name, value)| name == self.cookie && same(value, token)) {
            return Ok(None);
        }
        let mut query = query.unwrap_or_default().split('&').filter_map(|one| one.split_once('='));
        if query.any(|(name, value)| name == "token" && same(value, token)) {
            return Ok(Some(format!("{}={token}; Path=/; HttpOnly; SameSite=Strict", self.cookie)));
        }
        Err(TOKEN)
    }
}

fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

/// Whether a host, with or without a port, can only be this machine. A name that others could point here is refused.
fn is_loopback(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(v6) => v6.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    name.eq_ignore_ascii_case("localhost") || name.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// Compares two words in constant time.
fn same(a: &str, b: &str) -> bool {
    a.as_bytes().ct_eq(b.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_that_can_be_no_one_elses_are_loopback() {
        for host in ["localhost", "LOCALHOST:8760", "127.0.0.1:1", "127.9.9.9", "[::1]:8760"] {
            assert!(is_loopback(host), "{host}");
        }
        for host in
            ["", "evil.example", "localhost.evil.example:8760", "192.168.0.1", "[::2]", "0.0.0.0", "::1"]
        {
            assert!(!is_loopback(host), "{host}");
        }
    }

    #[test]
    fn a_token_is_new_each_time_and_compared_whole() {
        let (a, b) = (process::secret().unwrap(), process::secret().unwrap());
        assert_eq!(a.len(), 32);
        assert_ne!(a, b);
        assert!(same(&a, &a) && !same(&a, &b) && !same(&a, "") && !same(&a, &a[1..]));
    }
}
