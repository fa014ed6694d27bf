//! What single steps need to know of the processor.

#[cfg(target_arch = "aarch64")]
pub use aarch64::*;
#[cfg(target_arch = "x86_64")]
pub use x86_64::*;

#[cfg(target_arch = "x86_64")]
mod x86_64 {
    pub type Registers = libc::user_regs_struct;

    /// The instruction that stops the process for its tracer, and its bits in a word of code.
    pub const BREAKPOINT: u64 = 0xCC;
    pub const BREAKPOINT_BITS: u64 = 0xFF;
    /// How far behind a breakpoint the process then stands.
    pub const PASSED: u64 = 1;
    const SYSCALL: u64 = 0x050F;
    /// `rep movsb` and `rep stosb`. One step of such an instruction is one byte.
    const STRING: [u64; 2] = [0xA4F3, 0xAAF3];

    /// Stops this process for its tracer.
    #[inline(always)]
    pub fn stop() {
        // SAFETY: stops this process for its tracer, which continues after it.
        unsafe { core::arch::asm!("int3") };
    }

    /// Stops this process for its tracer, with another signal.
    #[inline(always)]
    pub fn end() {
        // SAFETY: stops this process for its tracer, which kills it.
        unsafe { core::arch::asm!("ud2") };
    }

    pub fn at(registers: &Registers) -> u64 {
        registers.rip
    }
    pub fn moved(registers: Registers, rip: u64) -> Registers {
        Registers { rip, ..registers }
    }
    /// Whether `code` begins with a system call.
    pub fn is_call(code: u64) -> bool {
        code & 0xFFFF == SYSCALL
    }
    /// The rounds left of the repeated instruction that `code` begins with, and its length.
    pub fn rounds(registers: &Registers, code: u64) -> Option<(u64, u64)> {
        STRING.contains(&(code & 0xFFFF)).then_some((registers.rcx, 2))
    }
    pub fn with_rounds(registers: Registers, rcx: u64) -> Registers {
        Registers { rcx, ..registers }
    }
    /// Why this processor cannot be stepped.
    pub fn refusal() -> Option<&'static str> {
        None
    }
}

#[cfg(target_arch = "aarch64")]
mod aarch64 {
    pub type Registers = libc::user_regs_struct;

    /// `brk #0`, and its bits in a word of code.
    pub const BREAKPOINT: u64 = 0xD420_0000;
    pub const BREAKPOINT_BITS: u64 = 0xFFFF_FFFF;
    /// The process then stands before it.
    pub const PASSED: u64 = 0;
    /// `svc #0`
    const SYSCALL: u64 = 0xD400_0001;

    /// Stops this process for its tracer.
    #[inline(always)]
    pub fn stop() {
        // SAFETY: stops this process for its tracer, which continues after it.
        unsafe { core::arch::asm!("brk #0") };
    }

    /// Stops this process for its tracer, with another signal.
    #[inline(always)]
    pub fn end() {
        // SAFETY: an instruction that is not one; stops this process for its tracer, which kills it.
        unsafe { core::arch::asm!(".inst 0") };
    }

    pub fn at(registers: &Registers) -> u64 {
        registers.pc
    }
    pub fn moved(registers: Registers, pc: u64) -> Registers {
        Registers { pc, ..registers }
    }
    /// Whether `code` begins with a system call.
    pub fn is_call(code: u64) -> bool {
        code & 0xFFFF_FFFF == SYSCALL
    }
    /// No instruction is repeated.
    pub fn rounds(_: &Registers, _: u64) -> Option<(u64, u64)> {
        None
    }
    pub fn with_rounds(registers: Registers, _: u64) -> Registers {
        registers
    }
    /// Why this processor cannot be stepped. A step ends the reservation of LDXR, so that STXR fails and its loop never ends. With the
    /// atomic instructions (LSE), which the libraries choose at run time, no loop is needed.
    pub fn refusal() -> Option<&'static str> {
        // SAFETY: reads a word that the kernel gave this process.
        let has = unsafe { libc::getauxval(libc::AT_HWCAP) } & libc::HWCAP_ATOMICS != 0;
        (!has).then_some(
            "this processor lacks the atomic instructions (LSE): loops of LDXR and STXR cannot be stepped",
        )
    }
}
