//! The example does what it says, and leaves nothing behind.

use std::path::PathBuf;
use std::process::Command;

#[test]
fn the_example_runs() {
    let domain = PathBuf::from(format!("/dev/shm/saltus-types-rust-{}", std::process::id()));
    let run = Command::new(env!("CARGO_BIN_EXE_saltus-types-rust"))
        .env("SALTUS_DOMAIN", format!("shm://{}", domain.display()))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&run.stdout).into_owned();
    let left: Vec<_> = std::fs::read_dir(&domain).unwrap().map(|e| e.unwrap().file_name()).collect();
    std::fs::remove_dir_all(&domain).unwrap();
    assert!(run.status.success(), "{said}{}", String::from_utf8_lossy(&run.stderr));
    assert_eq!(
        said,
        "scan: 180 ranges in 807 bytes, 1.5 m straight ahead\npose: at [1.0, 2.0, 0.5], in 80 bytes\n"
    );
    assert!(left.is_empty(), "{left:?}");
}
