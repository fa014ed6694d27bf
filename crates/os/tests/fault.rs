//! A mapped file that is truncated while it is used: the process continues, and no other fault is hidden.

use saltus_os::map::{Access, Map, Mark};
use std::fs::File;
use std::io;
use std::os::fd::FromRawFd;
use std::os::unix::fs::FileExt;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::*};

const PAGE: u64 = 4096;
/// Selects the work of a child process of this test.
const CHILD: &str = "SALTUS_FAULT_CHILD";

/// A file of `pages` pages of ones, without a name.
fn file(pages: u64) -> File {
    // SAFETY: a C string and no flags; only this value owns the descriptor that the call returns.
    let file = unsafe { File::from_raw_fd(libc::memfd_create(c"fault".as_ptr(), libc::MFD_CLOEXEC)) };
    fill(&file, pages);
    file
}
fn fill(file: &File, pages: u64) {
    file.write_all_at(&vec![1; (pages * PAGE) as usize], 0).unwrap();
}
fn surviving(file: &File, pages: u64, access: Access, mark: Option<Mark>) -> Map {
    Map::surviving(file, 0, (pages * PAGE) as usize, access, true, mark).unwrap()
}
/// Word `i` of page `page`.
fn word(map: &Map, page: u64, i: usize) -> &AtomicU64 {
    // SAFETY: the callers stay within the mapping, which they borrow.
    unsafe { AtomicU64::from_ptr(map.base().add(page as usize * PAGE as usize + 8 * i).cast()) }
}
const ONES: u64 = 0x0101_0101_0101_0101;

#[test]
fn reading_a_truncated_file_continues_and_reports_it() {
    let file = file(3);
    let words = Arc::new(surviving(&file, 1, Access::Read, None));
    let mark = Mark { of: Some(words.clone()), at: 16, value: 77 };
    let map = surviving(&file, 3, Access::Read, Some(mark));
    assert_eq!((word(&map, 2, 5).load(Relaxed), map.is_cut()), (ONES, false));
    file.set_len(PAGE).unwrap();
    assert_eq!(word(&map, 2, 5).load(Relaxed), 0, "the page was cut off");
    assert_eq!(word(&map, 0, 0).load(Relaxed), 0, "all of the mapping is zero from then on");
    assert_eq!((map.is_cut(), words.is_cut()), (true, false));
    assert_eq!((word(&words, 0, 2).load(Relaxed), word(&words, 0, 3).load(Relaxed)), (77, 0));
}

#[test]
fn writing_goes_on_in_memory_of_its_own_until_the_mapping_is_renewed() {
    let file = file(1);
    let map = surviving(&file, 1, Access::Write, Some(Mark { of: None, at: 8, value: 9 }));
    file.set_len(0).unwrap();
    word(&map, 0, 0).store(5, Relaxed);
    assert_eq!((word(&map, 0, 0).load(Relaxed), word(&map, 0, 1).load(Relaxed)), (5, 9));
    fill(&file, 1);
    assert!(map.is_cut());
    map.renew(&file, 0).unwrap();
    assert_eq!((map.is_cut(), word(&map, 0, 0).load(Relaxed)), (false, ONES));
    word(&map, 0, 0).fetch_add(1, Relaxed);
    let mut bytes = [0; 8];
    file.read_exact_at(&mut bytes, 0).unwrap();
    assert_eq!(u64::from_le_bytes(bytes), ONES + 1, "it is the file again");
    file.set_len(0).unwrap();
    assert_eq!(
        (word(&map, 0, 1).load(Relaxed), map.is_cut()),
        (9, true),
        "truncated again, it continues again"
    );
}

#[test]
fn a_mark_whose_own_page_is_cut_is_set() {
    let file = file(4);
    let words = Arc::new(surviving(&file, 1, Access::Read, Some(Mark { of: None, at: 16, value: 77 })));
    let mark = Mark { of: Some(words.clone()), at: 16, value: 77 };
    let map = surviving(&file, 4, Access::Read, Some(mark));
    file.set_len(0).unwrap();
    assert_eq!(word(&map, 3, 0).load(Relaxed), 0);
    assert_eq!(word(&words, 0, 2).load(Relaxed), 77);
}

#[test]
fn many_threads_continue_while_a_file_is_resized_and_remapped() {
    const PAGES: u64 = 64;
    let (file, over) = (file(PAGES), AtomicBool::new(false));
    let (faults, rounds) = (AtomicU64::new(0), AtomicU64::new(0));
    let shared = surviving(&file, PAGES, Access::Read, None);
    std::thread::scope(|s| {
        for _ in 0..4 {
            s.spawn(|| {
                while !over.load(Relaxed) {
                    let words = Arc::new(surviving(&file, 1, Access::Read, None));
                    let mark = Mark { of: Some(words), at: 0, value: 1 };
                    let map = surviving(&file, PAGES, Access::Write, Some(mark));
                    for page in 0..PAGES {
                        let seen = word(&map, page, 0).load(Relaxed);
                        assert!(seen == 0 || seen == ONES, "{seen:#x}");
                        // No system call between: it would return an error, and not fault.
                        std::hint::spin_loop();
                    }
                    faults.fetch_add(map.is_cut() as u64, Relaxed);
                    rounds.fetch_add(1, Relaxed);
                }
            });
        }
        for _ in 0..2 {
            s.spawn(|| {
                while !over.load(Relaxed) {
                    let sum = (0..PAGES).fold(0, |sum, page| sum | word(&shared, page, 0).load(Relaxed));
                    assert!(sum == 0 || sum == ONES, "{sum:#x}");
                }
            });
        }
        let start = std::time::Instant::now();
        while rounds.load(Relaxed) < 20_000 && start.elapsed().as_secs() < 5 {
            file.set_len(0).unwrap();
            fill(&file, PAGES);
        }
        over.store(true, Relaxed);
        assert!(shared.is_cut());
    });
    assert!(faults.load(Relaxed) > 0, "{} rounds without a fault test nothing", rounds.load(Relaxed));
}

#[test]
fn a_forked_child_continues_too() {
    let file = file(2);
    let map = surviving(&file, 2, Access::Read, None);
    // SAFETY: the child reads memory and exits.
    let pid = unsafe { libc::fork() };
    if pid == 0 {
        let cut = file.set_len(0).is_ok();
        let code = (!(cut && word(&map, 1, 0).load(Relaxed) == 0 && map.is_cut())) as i32;
        // SAFETY: leaves the child without running the parent's destructors.
        unsafe { libc::_exit(code) };
    }
    let mut status = 0;
    // SAFETY: waits for the child made above.
    unsafe { libc::waitpid(pid, &mut status, 0) };
    assert_eq!((status, map.is_cut()), (0, false), "what the child replaced is the child's");
    assert_eq!(word(&map, 1, 0).load(Relaxed), 0);
}

/// Finds each of a thousand simultaneous mappings.
#[test]
fn any_number_of_mappings_can_be_cut() {
    let file = file(1);
    let mut maps: Vec<Map> = (0..1500).map(|_| surviving(&file, 1, Access::Read, None)).collect();
    maps.retain({
        let mut i = 0;
        move |_| {
            i += 1;
            i % 3 != 0
        }
    });
    maps.extend((0..700).map(|_| surviving(&file, 1, Access::Read, None)));
    file.set_len(0).unwrap();
    for (i, map) in maps.iter().enumerate() {
        assert_eq!((word(map, 0, 0).load(Relaxed), map.is_cut()), (0, true), "mapping {i}");
    }
}

/// Runs `name` of [`child`] in a separate process.
fn run(name: &str) -> ExitStatus {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child", "--nocapture"])
        .env(CHILD, name)
        .output()
        .unwrap()
        .status
}

static HANDLED: AtomicU32 = AtomicU32::new(0);
static THERE: AtomicU64 = AtomicU64::new(0);

/// Maps memory in place of another library's truncated mapping, as that library would.
extern "C" fn others_handler(_: libc::c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    HANDLED.fetch_add(1, Relaxed);
    // SAFETY: the kernel's record. The page is the one that `cut_foreign` has mapped.
    unsafe {
        if (*info).si_code > 0 {
            let page = (*info).si_addr() as usize & !(PAGE as usize - 1);
            assert_eq!(page as u64, THERE.load(Relaxed));
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED;
            libc::mmap(page as *mut libc::c_void, PAGE as usize, libc::PROT_READ, flags, -1, 0);
        }
    }
}
fn install_others_handler(flags: libc::c_int) {
    // SAFETY: the handler has the signature that SA_SIGINFO requires.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = others_handler as extern "C" fn(_, _, _) as usize;
        action.sa_flags = libc::SA_SIGINFO | flags;
        assert_eq!(libc::sigaction(libc::SIGBUS, &action, std::ptr::null_mut()), 0);
    }
}
/// Reads a page of a truncated file, through a mapping that is not ours.
fn cut_foreign() {
    let file = file(1);
    let map = Map::new(&file, 0, PAGE as usize, Access::Read, true).unwrap();
    THERE.store(map.base() as u64, Relaxed);
    file.set_len(0).unwrap();
    word(&map, 0, 0).load(Relaxed);
}
fn cut_ours() -> io::Result<()> {
    let file = file(1);
    let map = surviving(&file, 1, Access::Read, None);
    file.set_len(0)?;
    assert_eq!((word(&map, 0, 0).load(Relaxed), map.is_cut()), (0, true));
    Ok(())
}
fn send() {
    // SAFETY: sends a signal to this thread.
    unsafe { libc::raise(libc::SIGBUS) };
}

fn limit(what: libc::__rlimit_resource_t, most: u64) {
    let mut limits = libc::rlimit64 { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: a valid record.
    assert_eq!(unsafe { libc::getrlimit64(what, &mut limits) }, 0);
    limits.rlim_cur = most.min(limits.rlim_max);
    // SAFETY: as above.
    assert_eq!(unsafe { libc::setrlimit64(what, &limits) }, 0);
}

/// What the other tests run in a process of its own; nothing by itself.
#[test]
fn child() {
    let Ok(name) = std::env::var(CHILD) else { return };
    match name.as_str() {
        "foreign" => {
            cut_ours().unwrap();
            cut_foreign();
        }
        "sent" => {
            // SAFETY: changes what happens at a signal: not even Rust's own handler is there.
            unsafe { libc::signal(libc::SIGBUS, libc::SIG_DFL) };
            cut_ours().unwrap();
            send();
        }
        "ignored" => {
            // SAFETY: changes what happens at a signal.
            unsafe { libc::signal(libc::SIGBUS, libc::SIG_IGN) };
            cut_ours().unwrap();
            send();
        }
        "ignored fault" => {
            // SAFETY: as above.
            unsafe { libc::signal(libc::SIGBUS, libc::SIG_IGN) };
            cut_ours().unwrap();
            cut_foreign();
        }
        "before us" => {
            install_others_handler(0);
            cut_ours().unwrap();
            assert_eq!(HANDLED.load(Relaxed), 0, "faults of this library are not passed on");
            cut_foreign();
            send();
            cut_foreign();
            assert_eq!(HANDLED.load(Relaxed), 3);
        }
        "once before us" => {
            install_others_handler(libc::SA_RESETHAND);
            cut_ours().unwrap();
            cut_foreign();
            assert_eq!(HANDLED.load(Relaxed), 1);
            cut_foreign();
        }
        "after us" => {
            cut_ours().unwrap();
            install_others_handler(0);
            saltus_os::fault::catch().unwrap();
            saltus_os::fault::catch().unwrap();
            cut_ours().unwrap();
            cut_foreign();
            send();
            assert_eq!(HANDLED.load(Relaxed), 2);
        }
        "locked memory" => {
            const PAGES: u64 = 256;
            limit(libc::RLIMIT_MEMLOCK, PAGES * PAGE * 3 / 2);
            // SAFETY: becomes nobody, who may not lock more than the limit; what is mapped from now on is locked.
            unsafe {
                assert!(libc::geteuid() != 0 || libc::setuid(65534) == 0);
                assert_eq!(libc::mlockall(libc::MCL_FUTURE), 0);
            }
            let file = file(PAGES);
            let map = surviving(&file, PAGES, Access::Read, None);
            file.set_len(PAGE).unwrap();
            assert_eq!(word(&map, PAGES - 1, 0).load(Relaxed), 0);
            assert_eq!(
                word(&map, 0, 0).load(Relaxed),
                0,
                "all of it is zero, though both together are too much to lock"
            );
        }
        "no memory" => {
            let file = file(2);
            let words = Arc::new(surviving(&file, 1, Access::Read, None));
            let map =
                surviving(&file, 2, Access::Read, Some(Mark { of: Some(words.clone()), at: 16, value: 77 }));
            // Not a page more than there is.
            let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
            limit(libc::RLIMIT_AS, pages.split(' ').next().unwrap().parse::<u64>().unwrap() * PAGE);
            file.set_len(PAGE).unwrap();
            let seen = (word(&map, 1, 0).load(Relaxed), word(&words, 0, 2).load(Relaxed), map.is_cut());
            limit(libc::RLIMIT_AS, libc::RLIM64_INFINITY);
            assert_eq!(seen, (0, 77, true));
            cut_ours().unwrap(); // the handler is there still
        }
        other => panic!("no child `{other}`"),
    }
}

#[test]
fn a_fault_that_is_not_ours_ends_the_process_as_before() {
    for name in ["foreign", "sent", "ignored fault", "once before us"] {
        assert_eq!(run(name).signal(), Some(libc::SIGBUS), "{name}");
    }
}

#[test]
fn a_fault_that_is_not_ours_goes_to_the_handler_that_was_there_before() {
    for name in ["before us", "ignored"] {
        assert!(run(name).success(), "{name}");
    }
}

#[test]
fn all_of_a_mapping_and_its_mark_are_replaced_where_no_memory_may_be_added() {
    for name in ["locked memory", "no memory"] {
        assert!(run(name).success(), "{name}");
    }
}

#[test]
fn a_handler_installed_later_receives_faults_that_are_not_ours() {
    assert!(run("after us").success());
}
