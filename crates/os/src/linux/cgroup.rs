//! The memory that the control groups of this process still allow.
//!
//! A page of shared memory that exceeds a group's limit causes the out-of-memory killer, not an error. Callers therefore check first.
//! The answer is advisory: other processes may use the memory before you do.

use std::fs;
use std::path::{Path, PathBuf};

/// The least memory in bytes that any group of this process has left, and the name of that group. `None`: no known limit.
///
/// Reads a few small files; blocks and allocates like any file access.
pub fn room() -> Option<(u64, PathBuf)> {
    let table = fs::read_to_string("/proc/self/cgroup").ok()?;
    let mut least: Option<(u64, PathBuf)> = None;
    for line in table.lines() {
        let mut parts = line.splitn(3, ':');
        let (_, controllers, path) = (parts.next(), parts.next().unwrap_or(""), parts.next().unwrap_or("/"));
        let (root, files) = if controllers.is_empty() {
            ("/sys/fs/cgroup", ["memory.max", "memory.current"])
        } else if controllers.split(',').any(|c| c == "memory") {
            ("/sys/fs/cgroup/memory", ["memory.limit_in_bytes", "memory.usage_in_bytes"])
        } else {
            continue;
        };
        least = [least, least_room(Path::new(root), path, files)].into_iter().flatten().min();
    }
    least
}

/// Checks each group from the process's own up to the root.
fn least_room(root: &Path, path: &str, [limit, usage]: [&str; 2]) -> Option<(u64, PathBuf)> {
    let mut group = root.join(path.trim_start_matches('/'));
    let mut least = None;
    while group.starts_with(root) {
        if let (Some(limit), Some(usage)) = (number(&group.join(limit)), number(&group.join(usage))) {
            // Clean page cache can be evicted, so it is not a reason to refuse.
            let cache = stat(&group.join("memory.stat"), "inactive_file");
            let here = Some((limit.saturating_sub(usage.saturating_sub(cache)), group.clone()));
            least = [least, here].into_iter().flatten().min();
        }
        if !group.pop() {
            break;
        }
    }
    least
}

/// The files of this name in this process's group of `controller` and in its parents, nearest first. Reads a small file. Does not check
/// which of them exist.
pub fn files(controller: &str, name: &str) -> Vec<PathBuf> {
    files_in(&fs::read_to_string("/proc/self/cgroup").unwrap_or_default(), controller, name)
}

/// The files of this name in a process's group of `controller` and in its parents, nearest first. `table` is the process's
/// `/proc/PID/cgroup`. Reads nothing.
pub fn files_in(table: &str, controller: &str, name: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for line in table.lines() {
        let parts: Vec<&str> = line.splitn(3, ':').collect();
        let &[_, controllers, path] = &parts[..] else { continue };
        let root = match controllers {
            "" => PathBuf::from("/sys/fs/cgroup"),
            c if c.split(',').any(|c| c == controller) => Path::new("/sys/fs/cgroup").join(controller),
            _ => continue,
        };
        let group = root.join(path.trim_start_matches('/'));
        files.extend(group.ancestors().take_while(|g| g.starts_with(&root)).map(|g| g.join(name)));
    }
    files
}

fn number(path: &Path) -> Option<u64> {
    fs::read_to_string(path).ok()?.trim().parse().ok() // "max" is not a number: no limit
}

fn stat(path: &Path, name: &str) -> u64 {
    let text = fs::read_to_string(path).unwrap_or_default();
    let value = text.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok());
    value.unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_those_of_the_group_and_of_all_above_it() {
        let table = "4:memory:/x\n1:cpu,cpuacct:/robot\n0::/a/b\n";
        let files: Vec<String> =
            files_in(table, "cpu", "cpu.stat").iter().map(|p| p.display().to_string()).collect();
        assert_eq!(
            files,
            ["cpu/robot/", "cpu/", "a/b/", "a/", ""].map(|group| format!("/sys/fs/cgroup/{group}cpu.stat"))
        );
    }

    #[test]
    fn the_tightest_group_counts() {
        let root = std::env::temp_dir().join(format!("saltus-cgroup-{}", std::process::id()));
        let inner = root.join("robot/driver");
        fs::create_dir_all(&inner).unwrap();
        fs::write(root.join("robot/memory.max"), "1000\n").unwrap();
        fs::write(root.join("robot/memory.current"), "900\n").unwrap();
        fs::write(root.join("robot/memory.stat"), "anon 5\ninactive_file 300\n").unwrap();
        fs::write(inner.join("memory.max"), "max\n").unwrap();
        fs::write(inner.join("memory.current"), "10\n").unwrap();
        let least = least_room(&root, "/robot/driver", ["memory.max", "memory.current"]);
        assert_eq!(least, Some((400, root.join("robot"))));
        fs::remove_dir_all(&root).unwrap();
    }
}
