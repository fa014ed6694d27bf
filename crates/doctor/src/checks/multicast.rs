//! Checks whether multicast works.

use std::net::Ipv4Addr;

use saltus_net::udp::diagnose::route;

use crate::{Check, Finding, Fix, Host};

pub const CHECK: Check = Check {
    id: "net.multicast",
    title: "multicast",
    reads: &["a test datagram to 239.255.76.67:7667", "/proc/net/route", "/sys/class/net/*/flags, wireless"],
    good: "the datagram returns, and its interface is not wireless",
    why: "udpm:// and LCM send to a multicast group. Without a route for it nothing can be sent; without the flag on an interface nothing arrives; over a \
          radio, multicast uses the lowest rate, and losses are not repeated: use `saltus tunnel` there. The test does not leave \
          this machine (time to live 0, as in LCM and udpm:// unless the URL says ttl=1).",
    run,
};

const GROUP: Ipv4Addr = Ipv4Addr::new(239, 255, 76, 67);
/// The flag of a multicast-capable interface.
const MULTICAST: u64 = 0x1000;

fn run(host: &Host) -> Finding {
    let interface = host.read("/proc/net/route").and_then(|table| route(&table, GROUP));
    let by =
        |name: &Option<String>| name.as_ref().map_or(String::new(), |name| format!(", by interface {name}"));
    match &host.tried.multicast {
        None => Finding::cannot_tell("not tested"),
        Some(Err(why)) => {
            let route = "ip route add 224.0.0.0/4 dev lo";
            let fix = match interface {
                None => Fix::typed(["ip link set lo multicast on", route])
                    .and("for this machine only; or connect it to a network"),
                Some(_) if lo_lacks(host) => Fix::typed(["ip link set lo multicast on", route])
                    .and("for this machine only; and see that no firewall drops it"),
                Some(_) => Fix::words(
                    "see that the interface is up and no firewall drops it: `ip link`, `nft list ruleset`",
                ),
            };
            Finding::problem(why.clone(), fix)
        }
        Some(Ok(time)) => {
            let found = format!("the datagram returned after {} us{}", time.as_micros(), by(&interface));
            match interface.filter(|name| is_radio(host, name)) {
                Some(_) => Finding::warning(
                    format!("{found}, which is wireless"),
                    Fix::words(
                        "between machines use a cable, or `saltus tunnel`; `iface=` in the URL names another interface",
                    ),
                ),
                None => Finding::ok(found),
            }
        }
    }
}

fn lo_lacks(host: &Host) -> bool {
    let flags = host.read("/sys/class/net/lo/flags");
    let flags = flags.and_then(|text| u64::from_str_radix(text.trim_start_matches("0x"), 16).ok());
    flags.is_some_and(|flags| flags & MULTICAST == 0)
}

fn is_radio(host: &Host, name: &str) -> bool {
    ["wireless", "phy80211"].iter().any(|file| host.has(&format!("/sys/class/net/{name}/{file}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::State::*;
    use crate::made::robot;

    #[test]
    fn the_test_decides_and_the_tables_explain() {
        robot().finds(&CHECK, Ok, "after 80 us, by interface eth0");
        robot().with("/sys/class/net/eth0/wireless/x", "").finds(&CHECK, Warning, "saltus tunnel");
        let silent =
            || robot().tried(|tried| tried.multicast = Some(Err("the datagram did not return".into())));
        silent().finds(&CHECK, Problem, "nft list ruleset");
        silent().with("/sys/class/net/lo/flags", "0x49").finds(
            &CHECK,
            Problem,
            "ip link set lo multicast on",
        );
        let alone = silent().with("/proc/net/route", "Iface Destination\n");
        alone.finds(&CHECK, Problem, "ip route add 224.0.0.0/4 dev lo");
    }
}
