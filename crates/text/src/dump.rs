//! Bytes as a hexadecimal dump.

/// A line for each sixteen bytes: offset, hexadecimal digits, and characters.
///
/// ```
/// let lines: Vec<String> = saltus_text::dump::dump(b"\x00\xffSALTUS").collect();
/// assert_eq!(lines, ["00000000  00 ff 53 41 4c 54 55 53                           |..SALTUS|"]);
/// ```
pub fn dump(bytes: &[u8]) -> impl Iterator<Item = String> {
    bytes.chunks(16).enumerate().map(|(row, chunk)| {
        let cells: Vec<String> =
            chunk.chunks(8).map(|half| half.iter().map(|b| format!("{b:02x} ")).collect()).collect();
        let shown: String =
            chunk.iter().map(|b| if (0x20..0x7f).contains(b) { *b as char } else { '.' }).collect();
        format!("{:08x}  {:<49} |{shown}|", row * 16, cells.join(" "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dump_shows_every_byte() {
        let lines: Vec<String> = dump(b"0123456789abcdef\x00\xff").collect();
        assert_eq!(
            lines,
            [
                "00000000  30 31 32 33 34 35 36 37  38 39 61 62 63 64 65 66  |0123456789abcdef|",
                "00000010  00 ff                                             |..|",
            ]
        );
    }
}
