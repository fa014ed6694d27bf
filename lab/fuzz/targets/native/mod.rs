//! A decoder in C or C++, whichever is linked to the target: it must give the same result as the decoder without
//! generated code.

use saltus_fuzz::{Verdict, agree, choose};

unsafe extern "C" {
    fn saltus_again(ty: usize, bytes: *const u8, len: i32, out: *mut u8, room: i32, made: *mut i32) -> i32;
}

pub fn attack(data: &[u8]) {
    let Some((id, body)) = choose(data) else { return };
    agree(id, body, |bytes| {
        let len = i32::try_from(bytes.len()).expect("a short message");
        // Buffers of the exact size, so that the sanitizer detects every byte beyond.
        let (bytes, mut out, mut made) = (bytes.to_vec(), vec![0; bytes.len()], -1);
        // SAFETY: the type exists, both buffers have this many bytes, and the number is written to.
        let read = unsafe { saltus_again(id.0, bytes.as_ptr(), len, out.as_mut_ptr(), len, &mut made) };
        match (usize::try_from(read), usize::try_from(made)) {
            (Err(_), _) => Verdict::Refused,
            (Ok(read), Err(_)) => Verdict::Taken(read, None),
            (Ok(read), Ok(made)) => {
                out.truncate(made);
                Verdict::Taken(read, Some(out))
            }
        }
    });
}
