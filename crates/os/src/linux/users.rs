//! Users and groups.

pub use crate::unix::users::*;
use std::sync::OnceLock;

/// Whether `user`, as the owner of a file, means any owner that has no number in this process's user namespace. Such a file may belong to
/// any user outside, even if this process has the same number. Reads small files of `/proc`: one at the first call, one for that number.
pub fn is_unknown(user: u32) -> bool {
    static OVERFLOW: OnceLock<u32> = OnceLock::new();
    let overflow = OVERFLOW.get_or_init(|| {
        let text = std::fs::read_to_string("/proc/sys/kernel/overflowuid").ok();
        text.and_then(|text| text.trim().parse().ok()).unwrap_or(65534) // the kernel's default
    });
    user == *overflow && !maps_all(&std::fs::read_to_string("/proc/self/uid_map").unwrap_or_default())
}

/// Whether a map of a user namespace gives each user the number that it has outside.
fn maps_all(map: &str) -> bool {
    map.split_whitespace().eq(["0", "0", "4294967295"])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_namespace_without_some_users_has_unknown_owners() {
        assert!(maps_all("         0          0 4294967295\n"));
        for map in ["", "0 1000 1\n", "0 0 65536\n", "0 1000 1\n1 100000 65536\n", "0 0 4294967295\n1 1 1\n"]
        {
            assert!(!maps_all(map), "{map}");
        }
        assert!(!is_unknown(0) && !is_unknown(1000));
    }
}
