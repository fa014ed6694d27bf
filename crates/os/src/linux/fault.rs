//! Surviving the truncation of a mapped file.
//!
//! Reading or writing a mapped page beyond the end of its file raises SIGBUS, which ends the process. Shared-memory files that other
//! processes can open by name cannot be sealed against truncation. Mappings of such files are therefore registered here. When one
//! faults, a SIGBUS handler replaces it with zeroed memory that is private to this process. The interrupted instruction runs again and
//! reads zeros.
//!
//! A registered mapping may name a word, its *mark*, that is set to a value at the same time. Code that reads this word anyway then
//! detects the truncation at no cost.
//!
//! Any other SIGBUS goes to the handler that was installed before, or ends the process as it would without this module.
//!
//! The handler is async-signal-safe: it reads a table that is never locked, and calls the kernel. Every thread that faults takes the
//! same steps, and all of them can be repeated, so that no thread waits for another.

use std::io;
use std::ptr::{self, null, null_mut};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI32, AtomicPtr, AtomicU64, AtomicUsize, Ordering::*, fence};

/// Entries in the first block of the table; each later block has twice as many as the one before.
const FIRST_BLOCK: usize = 256;
const BLOCKS: usize = 17;
pub(crate) const PAGE: usize = 4096;

/// States of an entry: the low bits of its generation.
const FREE: u64 = 0;
const CHANGING: u64 = 1;
const USED: u64 = 2;
const STATE: u64 = 3;

/// A registered mapping. All zeros is a free entry.
#[repr(align(64))]
struct Entry {
    /// Its state in the low bits; the other bits count reuses. A seqlock over `base` to `mark_value`.
    generation: AtomicU64,
    base: AtomicUsize,
    len: AtomicUsize,
    /// Address of the mark; 0 if none.
    mark: AtomicUsize,
    mark_value: AtomicU64,
    /// The generation of the only process that has the mapping; 0 if its children have it too.
    only: AtomicU64,
    /// Protection of the mapping, and of the mark's page.
    prot: AtomicI32,
    mark_prot: AtomicI32,
    /// How often a thread has begun to replace the mapping, and how often one was done with it.
    begun: AtomicU64,
    done: AtomicU64,
    /// What both were when the mapping was last made from its file: it is cut while `begun` is more.
    renewed: AtomicU64,
}

static TABLE: [AtomicPtr<Entry>; BLOCKS] = [const { AtomicPtr::new(null_mut()) }; BLOCKS];
/// No entry from this index on was ever used.
static HIGH: AtomicUsize = AtomicUsize::new(0);
/// There is probably no free entry before this index.
static HINT: AtomicUsize = AtomicUsize::new(0);

/// The data of a registered mapping that the handler needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Range {
    pub base: usize,
    pub len: usize,
    pub prot: libc::c_int,
}

/// A word that is set when a mapping is truncated: its address, the value, and the protection of its page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    pub at: usize,
    pub value: u64,
    pub prot: libc::c_int,
}

/// A registration. It ends when this is dropped. Drop it before the range is unmapped.
pub(crate) struct Registered {
    entry: &'static Entry,
    index: usize,
}

impl std::fmt::Debug for Registered {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Registered").field("index", &self.index).field("is_cut", &self.is_cut()).finish()
    }
}

/// Registers a mapping. Allocates occasionally; does not block.
///
/// # Safety
///
/// The range must be a whole mapping of the caller's until the result is dropped. The page of the mark must stay mapped as long. The
/// mark must be aligned. No thread may depend on other contents of that page, which become zeros when the mark is set.
pub(crate) unsafe fn register(range: Range, mark: Option<Mark>) -> io::Result<Registered> {
    install()?;
    let (entry, index) = claim()?;
    let mark = mark.unwrap_or(Mark { at: 0, value: 0, prot: 0 });
    // Relaxed: published by the generation below.
    entry.base.store(range.base, Relaxed);
    entry.len.store(range.len, Relaxed);
    entry.prot.store(range.prot, Relaxed);
    entry.mark.store(mark.at, Relaxed);
    entry.mark_value.store(mark.value, Relaxed);
    entry.mark_prot.store(mark.prot, Relaxed);
    entry.only.store(0, Relaxed);
    for count in [&entry.begun, &entry.done, &entry.renewed] {
        count.store(0, Relaxed);
    }
    let generation = entry.generation.load(Relaxed); // ours alone while it is changing
    entry.generation.store(generation & !STATE | USED, Release); // pairs with the acquire in `find`
    Ok(Registered { entry, index })
}

impl Registered {
    /// Whether the mapping was cut, and is being or was replaced by memory of this process's own. Two loads.
    ///
    /// Returns `true` to a thread that has read anything of that memory and then issued an acquire fence, until the file is mapped again.
    pub fn is_cut(&self) -> bool {
        // Acquire: pairs with `renewed`. First: it only grows, up to `begun`, so that equality means that they were equal just now.
        let renewed = self.entry.renewed.load(Acquire);
        // Acquire: with the caller's fence, pairs with the fence in `replace`.
        self.entry.begun.load(Acquire) != renewed
    }
    /// Before the mapping is made again from its file. `None`: a thread is replacing it, and could do so after that.
    pub fn renewing(&self) -> Option<u64> {
        // Acquire: pairs with the release in `replace`. `done` first: it only grows, up to `begun`, so that nobody is between if they are equal.
        let done = self.entry.done.load(Acquire);
        let begun = self.entry.begun.load(Acquire);
        (begun == done).then_some(done)
    }
    /// After the mapping was made again from its file: all that had replaced it at [`Registered::renewing`] is undone.
    pub fn renewed(&self, seen: u64) {
        // Release: pairs with `is_cut`. The greatest: another thread may have renewed it after a later fault.
        self.entry.renewed.fetch_max(seen, Release);
    }
    /// Children of this process do not inherit the mapping.
    pub fn only_for(&self, process: u64) {
        self.entry.only.store(process, Relaxed); // a single word, read by the handler of this thread's own faults
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        let generation = self.entry.generation.load(Relaxed); // only its owner changes an entry in use
        self.entry.generation.store(generation & !STATE | CHANGING, Relaxed);
        fence(Release); // pairs with the acquire fence in `find`: a thread that sees an empty range sees the new generation
        self.entry.base.store(0, Relaxed);
        self.entry.len.store(0, Relaxed);
        // Release: pairs with the acquire in `claim`. The count wraps after 2^62 reuses.
        self.entry.generation.store((generation & !STATE).wrapping_add(STATE + 1) | FREE, Release);
        HINT.fetch_min(self.index, Relaxed); // a hint
    }
}

/// Entry `index`, if its block exists.
fn entry(index: usize) -> Option<&'static Entry> {
    let block = (index / FIRST_BLOCK + 1).ilog2() as usize;
    let first = FIRST_BLOCK * ((1 << block) - 1);
    // Acquire: pairs with the release in `grow`.
    let entries = TABLE.get(block)?.load(Acquire);
    // SAFETY: a block has as many entries as `grow` has mapped, is never unmapped, and is zeroed, which is a valid entry.
    (!entries.is_null()).then(|| unsafe { &*entries.add(index - first) })
}

/// Claims a free entry, whose state is then changing.
fn claim() -> io::Result<(&'static Entry, usize)> {
    let start = HINT.load(Relaxed); // a hint
    if let Some(found) = claim_from(start) {
        return Ok(found);
    }
    loop {
        if let Some(found) = claim_from(0) {
            return Ok(found);
        }
        grow()?;
    }
}

fn claim_from(start: usize) -> Option<(&'static Entry, usize)> {
    let mut index = start;
    while let Some(entry) = entry(index) {
        let seen = entry.generation.load(Relaxed);
        // Acquire: pairs with the release in `drop`; our writes are ordered after those of the last owner.
        if seen & STATE == FREE
            && entry.generation.compare_exchange(seen, seen | CHANGING, Acquire, Relaxed).is_ok()
        {
            fence(Release); // pairs with the acquire fence in `find`: a thread that sees our writes sees that the entry is changing
            HIGH.fetch_max(index + 1, Release); // pairs with the acquire in `find`
            HINT.store(index + 1, Relaxed); // a hint
            return Some((entry, index));
        }
        index += 1;
    }
    None
}

/// Adds a block.
fn grow() -> io::Result<()> {
    for (i, block) in TABLE.iter().enumerate() {
        if !block.load(Relaxed).is_null() {
            continue;
        }
        let len = (FIRST_BLOCK << i) * size_of::<Entry>();
        let (prot, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: a fresh mapping aliases nothing.
        let fresh = unsafe { libc::mmap(null_mut(), len, prot, flags, -1, 0) };
        if fresh == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        // Release: pairs with the acquire in `entry`.
        if block.compare_exchange(null_mut(), fresh.cast(), Release, Relaxed).is_err() {
            // SAFETY: no other code has the address of the mapping; another thread added its block first.
            unsafe { libc::munmap(fresh, len) };
        }
        return Ok(());
    }
    Err(io::ErrorKind::OutOfMemory.into())
}

/// The registration that contains `address`, and its entry.
///
/// The faulting thread uses the mapping, so its entry does not change during the search; entries that change are those of other mappings.
fn find(address: usize) -> Option<(&'static Entry, Range, Option<Mark>)> {
    // Acquire: pairs with the release in `claim_from`.
    for index in 0..HIGH.load(Acquire) {
        let entry = entry(index)?;
        let before = entry.generation.load(Acquire); // pairs with the release in `register`
        let (base, len) = (entry.base.load(Relaxed), entry.len.load(Relaxed));
        if before & STATE != USED || address.wrapping_sub(base) >= len {
            continue;
        }
        let range = Range { base, len, prot: entry.prot.load(Relaxed) };
        let (at, value, prot) =
            (entry.mark.load(Relaxed), entry.mark_value.load(Relaxed), entry.mark_prot.load(Relaxed));
        let only = entry.only.load(Relaxed);
        fence(Acquire); // pairs with the release fences in `drop` and `claim_from`
        let stayed = entry.generation.load(Relaxed) == before;
        // In a forked child that has not inherited the mapping, another object has this address.
        if stayed && (only == 0 || only == crate::fork::generation()) {
            return Some((entry, range, (at != 0).then_some(Mark { at, value, prot })));
        }
    }
    None
}

/// Replaces the registered mapping that contains `address` with private memory. `false`: there is none, or not enough memory.
fn replace(address: usize) -> bool {
    let Some((entry, range, mark)) = find(address) else { return false };
    entry.begun.fetch_add(1, Relaxed);
    fence(SeqCst); // pairs with the acquire fences before `is_cut`: a thread that reads the new memory sees this
    // The mark comes first: a thread that reads zeros in place of messages sees the mark too. Without the mark nothing is replaced, since
    // the instruction must not continue then.
    let replaced = mark.is_none_or(set_mark) && (is_page_of(mark, range) || clear_range(range, address));
    if entry.only.load(Relaxed) != 0 {
        // SAFETY: the range is a mapping of ours, and children must still not inherit it.
        unsafe { libc::madvise(range.base as *mut libc::c_void, range.len, libc::MADV_DONTFORK) };
    }
    entry.done.fetch_add(1, Release); // pairs with `renewing`: a thread that maps the file again does it after this
    replaced
}

/// Whether a mapping is nothing but the page of its own mark.
fn is_page_of(mark: Option<Mark>, range: Range) -> bool {
    mark.is_some_and(|mark| mark.at & !(PAGE - 1) == range.base && range.len == PAGE)
}

/// Puts zeroed memory in the place of a mapping, in which `address` was not there.
fn clear_range(range: Range, address: usize) -> bool {
    if clear(range.base, range.len, range.prot) {
        return true;
    }
    // Where new mappings are locked (`mlockall`) the limit holds for the old and the new one together.
    unlock(range.base, range.len);
    if clear(range.base, range.len, range.prot) {
        return true;
    }
    if range.prot & libc::PROT_WRITE != 0 {
        return clear(address & !(PAGE - 1), PAGE, range.prot); // nobody else reads it here
    }
    // Upward: a lane begins with the slots, without which no message in it is valid.
    (range.base..range.base + range.len).step_by(PAGE).all(|page| clear(page, PAGE, range.prot))
}

/// Unlocks memory that is about to be replaced. If that fails, so does the replacing.
fn unlock(base: usize, len: usize) {
    // SAFETY: changes nothing of the contents.
    unsafe { libc::munlock(base as *const libc::c_void, len) };
}

/// Maps zeroed memory at an address. Other threads see either the old contents or zeros, never a gap.
fn clear(base: usize, len: usize, prot: libc::c_int) -> bool {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED;
    // SAFETY: the range is a registered mapping, whose users accept that its contents change.
    unsafe { libc::mmap(base as *mut libc::c_void, len, prot, flags, -1, 0) != libc::MAP_FAILED }
}

/// Puts a page of zeros and the mark's value in the place of the mark's page, in one step if possible. Nothing is written through the old mapping, which
/// may have been cut too.
fn set_mark(mark: Mark) -> bool {
    if move_mark(mark) {
        return true;
    }
    // Memory or mappings for one more page are refused: in two steps, which take no more than there is. Between them others see zeros.
    let page = mark.at & !(PAGE - 1);
    unlock(page, PAGE);
    if !clear(page, PAGE, libc::PROT_READ | libc::PROT_WRITE) {
        return false;
    }
    // SAFETY: the page is this process's own now, and the mark an aligned word in it that others access by atomics only. That it may
    // stay writable does no harm.
    unsafe {
        AtomicU64::from_ptr(mark.at as *mut u64).store(mark.value, Release);
        libc::mprotect(page as *mut libc::c_void, PAGE, mark.prot);
    }
    true
}

/// Does it in one step. `false`: the page could not be made, or moved; then the old one is there, or nothing.
fn move_mark(mark: Mark) -> bool {
    let (prot, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    let (page, at) = (mark.at & !(PAGE - 1), mark.at & (PAGE - 1));
    // SAFETY: a fresh page aliases nothing until it is moved. The mark is an aligned word within a page. The page moved over is that of
    // the mark: the caller of `register` promised that it is mapped and may be replaced.
    unsafe {
        let fresh = libc::mmap(null_mut(), PAGE, prot, flags, -1, 0);
        if fresh == libc::MAP_FAILED {
            return false;
        }
        ptr::write(fresh.byte_add(at).cast(), mark.value);
        let how = libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED;
        let moved = libc::mprotect(fresh, PAGE, mark.prot) == 0
            && libc::mremap(fresh, PAGE, PAGE, how, page as *mut libc::c_void) != libc::MAP_FAILED;
        if !moved {
            libc::munmap(fresh, PAGE);
        }
        moved
    }
}

/// The previous handlers of SIGBUS: at our first installation, and at the latest one. Never freed, since a handler may be reading them.
static FIRST: AtomicPtr<libc::sigaction> = AtomicPtr::new(null_mut());
/// The first of them, without the heap: a tool that looks for leaks finds none.
static INITIAL: OnceLock<libc::sigaction> = OnceLock::new();
static BEFORE: AtomicPtr<libc::sigaction> = AtomicPtr::new(null_mut());

fn install() -> io::Result<()> {
    static ONCE: OnceLock<()> = OnceLock::new();
    if ONCE.get().is_none() {
        catch()?;
        let _ = ONCE.set(());
    }
    Ok(())
}

/// Reinstalls this library's SIGBUS handler, if the program has installed another one since.
///
/// That other handler then gets the faults that are not this library's. Not needed if it calls the previous handler for faults that are
/// not its own. A few system calls.
pub fn catch() -> io::Result<()> {
    // SAFETY: all zeros is a valid action to be filled in; with no new action only the old one is written.
    let mut before: libc::sigaction = unsafe { std::mem::zeroed() };
    // SAFETY: as above.
    super::check(unsafe { libc::sigaction(libc::SIGBUS, null(), &mut before) })?;
    let ours = on_fault as extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) as usize;
    if before.sa_sigaction == ours {
        return Ok(());
    }
    let mut action = before; // includes its mask, since its handler may rely on that
    action.sa_sigaction = ours;
    action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | before.sa_flags & libc::SA_RESTART;
    let mut first = false;
    let initial = INITIAL.get_or_init(|| {
        first = true;
        before
    });
    let before = if first { ptr::from_ref(initial).cast_mut() } else { Box::into_raw(Box::new(before)) };
    // Release: pairs with the acquires in `forward`. Known before our handler can run.
    let _ = FIRST.compare_exchange(null_mut(), before, Release, Relaxed);
    BEFORE.store(before, Release);
    // SAFETY: the handler has the signature that SA_SIGINFO requires, and does only what is safe in one.
    super::check(unsafe { libc::sigaction(libc::SIGBUS, &action, null_mut()) }).map(drop)
}

extern "C" fn on_fault(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: errno is this thread's own word. It is restored, so that the interrupted code sees its own value.
    let errno = unsafe { libc::__errno_location() };
    // SAFETY: as above; the kernel passes a valid record, in which a fault has an address.
    let (kept, code, address) = unsafe { (*errno, (*info).si_code, (*info).si_addr() as usize) };
    if code != libc::BUS_ADRERR || !replace(address) {
        forward(signal, info, context, code);
    }
    // SAFETY: as above.
    unsafe { *errno = kept };
}

/// Threads inside a handler that [`forward`] called.
static INSIDE: [AtomicI32; 64] = [const { AtomicI32::new(0) }; 64];

/// Passes a signal to the handler that was installed before ours.
fn forward(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void, code: libc::c_int) {
    // SAFETY: only returns a number.
    let thread = unsafe { libc::syscall(libc::SYS_gettid) } as i32;
    // Relaxed: only this thread stores or removes its number.
    let nested = INSIDE.iter().any(|inside| inside.load(Relaxed) == thread);
    // A handler installed after ours passes us the faults that are not its own: those go to the handler before both.
    let list = if nested { &FIRST } else { &BEFORE };
    // SAFETY: Acquire pairs with the releases in `catch`; the record it points to is never freed or changed.
    let Some(before) = (unsafe { list.load(Acquire).as_ref() }) else { return end(signal, code) };
    match before.sa_sigaction {
        libc::SIG_IGN if code <= 0 => return, // sent by a process, not a fault
        libc::SIG_IGN | libc::SIG_DFL => return end(signal, code),
        _ => {}
    }
    let place = INSIDE.iter().find(|inside| inside.compare_exchange(0, thread, Relaxed, Relaxed).is_ok());
    // SAFETY: the handler was installed with these flags, for these arguments; the sets live across the calls.
    unsafe {
        let (mut set, mut mask): (libc::sigset_t, libc::sigset_t) = std::mem::zeroed();
        libc::sigemptyset(&mut set);
        libc::sigaddset(&mut set, signal);
        if before.sa_flags & libc::SA_NODEFER != 0 {
            libc::pthread_sigmask(libc::SIG_UNBLOCK, &set, &mut mask);
        }
        if before.sa_flags & libc::SA_SIGINFO != 0 {
            type Handler = extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void);
            std::mem::transmute::<usize, Handler>(before.sa_sigaction)(signal, info, context);
        } else {
            std::mem::transmute::<usize, extern "C" fn(libc::c_int)>(before.sa_sigaction)(signal);
        }
        if before.sa_flags & libc::SA_NODEFER != 0 {
            libc::pthread_sigmask(libc::SIG_SETMASK, &mask, null_mut());
        }
    }
    if let Some(place) = place {
        place.store(0, Relaxed);
    }
    if before.sa_flags & libc::SA_RESETHAND != 0 {
        FIRST.store(null_mut(), Relaxed); // as the kernel would: from now on there is none
        BEFORE.store(null_mut(), Relaxed);
    }
}

/// Ends the process by a signal, as if it had no handler.
fn end(signal: libc::c_int, code: libc::c_int) {
    // SAFETY: all zeros is the default action; reads numbers, and sends a signal to this thread itself.
    unsafe {
        let default: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, &default, null_mut());
        if code <= 0 {
            // A sent signal does not repeat: send it again, for when this handler returns.
            libc::syscall(libc::SYS_tgkill, libc::getpid(), libc::syscall(libc::SYS_gettid), signal);
        }
    }
    // The faulting instruction runs again.
}
