//! Runnable: files that a program can run although nobody can read them. They are known by what they hold, whatever they
//! are called.

/// What a file is, if it can be run or loaded and is not text.
pub fn runnable(content: &[u8]) -> Option<&'static str> {
    // Whoever loads a module from an archive looks for its directory, which stands at the end.
    let end = content.len().saturating_sub(DIRECTORY_BYTES_MAX);
    let is_archive = content[end..].windows(4).any(|it| it == b"PK\x05\x06");
    if !is_archive && is_text(content) {
        return None;
    }
    let begins = |signs: &[&[u8]]| signs.iter().any(|sign| content.starts_with(sign));
    if is_archive || begins(&PACKED) {
        Some("an archive")
    } else if content.len() >= COMPILED_BYTES_MIN && begins(&COMPILED) {
        Some("a compiled program or library")
    } else {
        // Python: two bytes of a version, then an end of line.
        (content.len() > 16 && &content[2..4] == b"\r\n").then_some("bytecode")
    }
}

fn is_text(content: &[u8]) -> bool {
    std::str::from_utf8(content).is_ok_and(|text| !text.contains('\0'))
}

/// How packed files begin: gzip, bzip2, xz, 7z, zstd.
const PACKED: [&[u8]; 5] =
    [b"\x1f\x8b", b"BZh", b"\xfd7zXZ\0", b"7z\xbc\xaf\x27\x1c", b"\x28\xb5\x2f\xfd"];
/// How programs and libraries begin: ELF, PE, archives of objects, WebAssembly, Mach-O, Java.
const COMPILED: [&[u8]; 9] = [
    b"\x7fELF",
    b"MZ",
    b"!<arch>\n",
    b"\0asm",
    b"\xfe\xed\xfa\xce",
    b"\xfe\xed\xfa\xcf",
    b"\xce\xfa\xed\xfe",
    b"\xcf\xfa\xed\xfe",
    b"\xca\xfe\xba\xbe",
];
/// The shortest head of one that could be loaded.
const COMPILED_BYTES_MIN: usize = 32;
/// How far from the end the directory of an archive may begin.
const DIRECTORY_BYTES_MAX: usize = 22 + (1 << 16);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_run_is_known_by_what_it_holds() {
        let behind = [b"\x89PNG\r\n\x1a\n".as_slice(), &[0; 90], b"PK\x05\x06", &[0; 18]].concat();
        let bytecode = [b"\xa7\x0d\r\n".as_slice(), &[0; 20]].concat();
        let program = [b"\x7fELF\x02\x01\x01".as_slice(), &[0; 60]].concat();
        for (content, what) in [
            (program.as_slice(), Some("a compiled program or library")),
            (&program[..9], None),
            (b"PK\x03\x04 a module PK\x05\x06\0\0", Some("an archive")),
            (&behind, Some("an archive")),
            (b"\x1f\x8b\x08\0\0\0\0\0\0\x03\xff", Some("an archive")),
            (&bytecode, Some("bytecode")),
            (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", None),
            (b"MZ stands for Mark Zbikowski\n", None),
            (b"a,\r\nb,c,d,e,f,g,h,i\r\n", None),
            (b"", None),
        ] {
            assert_eq!(runnable(content), what, "{content:?}");
        }
    }
}
