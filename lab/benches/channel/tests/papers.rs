//! The papers' measurements run with the contenders in the build, and write data, figures and sentences.

use std::path::PathBuf;
use std::process::Command;

#[test]
fn workloads_chains_and_echoes_run_and_leave_figures() {
    saltus_netns::isolated(|| {
        short_run("dali", "connections,cwalker", "shm://,udpm://", &["dali.md", "dali.json", "cwalker.hlog"]);
        short_run("ach", "hops", "saltus,pipe,udpm://", &["ach-against-hops.svg", "ach.json", "hops.hlog"]);
        // If LCM's libraries are installed, its Java clients run too.
        let files = ["lcm-echo.svg", "lcm-traffic.svg", "lcm.json", "echo.hlog", "traffic.hlog"];
        let report = short_run("lcm", "echo,traffic", "udpm://,shm://,lcm-java", &files);
        assert!(report.contains("`shm://`: no packets on a network interface"), "{report}");
        assert!(report.contains(" B on the link in "), "{report}");
    });
}

fn short_run(set: &str, scenarios: &str, contenders: &str, files: &[&str]) -> String {
    let out: PathBuf = std::env::temp_dir().join(format!("saltus-bench-{set}-{}", std::process::id()));
    let mut command = Command::new(env!("CARGO_BIN_EXE_saltus-bench-channel"));
    command.args([set, "--short", "--scale", "0.5", "--scenario", scenarios, "--contender", contenders]);
    let output = command.arg("--out").arg(&out).output().expect("it runs");
    let (report, reported) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    // A contender that fails or does not answer makes the run fail.
    assert!(output.status.success(), "{report}{reported}");
    assert!(report.contains("## What it shows"), "{report}");
    for file in files {
        assert!(out.join(file).is_file(), "{file}: {report}");
    }
    std::fs::remove_dir_all(&out).expect("it has written its files");
    report.into_owned()
}
