//! Encoders: what an attacker with a shell does to a text to pass the filter.

use super::material::NOISE;

pub(crate) fn plain(text: &str) -> Vec<u8> {
    text.into()
}

pub(crate) fn rewrapped(text: &str) -> Vec<u8> {
    let words: Vec<_> = text.split_whitespace().collect();
    let rows: Vec<_> = words.chunks(3).map(|row| format!("        {}", row.join("  "))).collect();
    rows.join("\n").into()
}

pub(crate) fn one_line(text: &str) -> Vec<u8> {
    text.split_whitespace().collect::<Vec<_>>().join(" ").into()
}

pub(crate) fn loud_and_close(text: &str) -> Vec<u8> {
    text.split_whitespace().collect::<String>().to_uppercase().into()
}

pub(crate) fn without_punctuation(text: &str) -> Vec<u8> {
    text.replace(|character: char| character.is_ascii_punctuation(), " ").into()
}

pub(crate) fn spaced_letters(text: &str) -> Vec<u8> {
    each_line(text, |_, line| line.chars().map(|character| format!("{character} ")).collect())
}

pub(crate) fn as_errors(text: &str) -> Vec<u8> {
    each_line(text, |_, line| format!("error: {line}"))
}

pub(crate) fn numbered(text: &str) -> Vec<u8> {
    each_line(text, |nth, line| format!("{nth:>4} | {line}"))
}

pub(crate) fn as_compiler_messages(text: &str) -> Vec<u8> {
    each_line(text, |nth, line| {
        format!(
            "warning: unused code\n  --> src/x.rs:{nth}:9\n   |\n{nth:>3} | {line}\n   |     ^^^^^^^^ help: remove it"
        )
    })
}

pub(crate) fn as_diff(text: &str) -> Vec<u8> {
    each_line(text, |nth, line| format!("{}{line}", if nth % 2 == 0 { '-' } else { '+' }))
}

pub(crate) fn as_quoted_list(text: &str) -> Vec<u8> {
    each_line(text, |_, line| format!("  {line:?},"))
}

pub(crate) fn as_log(text: &str) -> Vec<u8> {
    each_line(text, |nth, line| {
        format!("[2026-11-15T08:{:02}:{:02}Z INFO  build::step] {line}", nth / 60, nth % 60)
    })
}

pub(crate) fn between_noise(text: &str) -> Vec<u8> {
    each_line(text, |nth, line| format!("{line}\n{}", NOISE[nth % NOISE.len()]))
}

pub(crate) fn labelled_between_noise(text: &str) -> Vec<u8> {
    each_line(text, |nth, line| {
        format!("failure {nth}: {line}\n{}", NOISE[(nth * 7) % NOISE.len()])
    })
}

pub(crate) fn lines_backwards(text: &str) -> Vec<u8> {
    text.lines().rev().collect::<Vec<_>>().join("\n").into()
}

pub(crate) fn backwards(text: &str) -> Vec<u8> {
    text.chars().rev().collect::<String>().into()
}

pub(crate) fn each_line_backwards(text: &str) -> Vec<u8> {
    each_line(text, |_, line| line.chars().rev().collect())
}

pub(crate) fn one_letter_a_line(text: &str) -> Vec<u8> {
    each_letter(text, |letter| format!("{letter}\n"))
}

pub(crate) fn one_letter_an_error(text: &str) -> Vec<u8> {
    each_letter(text, |letter| format!("error: {letter}\n"))
}

pub(crate) fn last_letters(text: &str) -> Vec<u8> {
    let mut nth = 0;
    each_letter(text, |letter| {
        nth += 1;
        format!("{} {letter}\n", NOISE[nth % NOISE.len()])
    })
}

pub(crate) fn every_second_line(text: &str) -> Vec<u8> {
    text.lines().step_by(2).collect::<Vec<_>>().join("\n").into()
}

pub(crate) fn shuffled_lines(text: &str) -> Vec<u8> {
    let mut lines: Vec<_> = text.lines().collect();
    lines.sort_by_key(|line| {
        line.bytes().fold(7_u32, |sum, byte| sum.wrapping_mul(31) ^ u32::from(byte))
    });
    lines.join("\n").into()
}

pub(crate) fn base64(text: &str) -> Vec<u8> {
    base64_of(text.as_bytes()).into()
}

pub(crate) fn base64_in_lines(text: &str) -> Vec<u8> {
    wrapped(&base64_of(text.as_bytes()), 76).into()
}

pub(crate) fn base64_in_narrow_lines(text: &str) -> Vec<u8> {
    wrapped(&base64_of(text.as_bytes()), 7).into()
}

pub(crate) fn base64_for_urls(text: &str) -> Vec<u8> {
    base64_of(text.as_bytes()).replace('+', "-").replace('/', "_").replace('=', "").into()
}

pub(crate) fn base64_from_the_middle(text: &str) -> Vec<u8> {
    format!("x{}", &base64_of(text.as_bytes())[2..]).into()
}

pub(crate) fn base64_line_by_line(text: &str) -> Vec<u8> {
    each_line(text, |nth, line| format!("failed step {nth}: {}", base64_of(line.as_bytes())))
}

pub(crate) fn base64_between_noise(text: &str) -> Vec<u8> {
    let rows = wrapped(&base64_of(text.as_bytes()), 60);
    each_line(&rows, |nth, line| format!("{line}\n{}", NOISE[nth % NOISE.len()]))
}

pub(crate) fn hex(text: &str) -> Vec<u8> {
    hex_of(text.as_bytes()).into()
}

pub(crate) fn hex_in_pairs(text: &str) -> Vec<u8> {
    let pairs: String = text.bytes().map(|byte| format!("{byte:02X} ")).collect();
    wrapped(&pairs, 48).into()
}

pub(crate) fn hex_as_bytes(text: &str) -> Vec<u8> {
    text.bytes().map(|byte| format!("\\x{byte:02x}")).collect::<String>().into()
}

pub(crate) fn hex_as_numbers(text: &str) -> Vec<u8> {
    let bytes: Vec<_> = text.bytes().map(|byte| format!("0x{byte:02x},")).collect();
    bytes.chunks(12).map(|row| row.join(" ")).collect::<Vec<_>>().join("\n").into()
}

pub(crate) fn hex_dump(text: &str) -> Vec<u8> {
    let row = |(nth, bytes): (usize, &[u8])| {
        let pairs: Vec<_> = bytes.chunks(2).map(hex_of).collect();
        let shown: String = bytes
            .iter()
            .map(|byte| if byte.is_ascii_graphic() { char::from(*byte) } else { '.' })
            .collect();
        format!("{:08x}: {:<39}  {shown}\n", nth * 16, pairs.join(" "))
    };
    text.as_bytes().chunks(16).enumerate().map(row).collect::<String>().into()
}

pub(crate) fn base32(text: &str) -> Vec<u8> {
    base32_of(text.as_bytes()).into()
}

pub(crate) fn base32_small_in_lines(text: &str) -> Vec<u8> {
    wrapped(&base32_of(text.as_bytes()).to_lowercase(), 50).into()
}

pub(crate) fn rot13(text: &str) -> Vec<u8> {
    shifted(text, 13)
}

pub(crate) fn caesar(text: &str) -> Vec<u8> {
    shifted(text, 3)
}

pub(crate) fn rot47(text: &str) -> Vec<u8> {
    let turn = |byte: u8| if byte.is_ascii_graphic() { (byte - 33 + 47) % 94 + 33 } else { byte };
    text.bytes().map(turn).collect()
}

pub(crate) fn percent_everything(text: &str) -> Vec<u8> {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect::<String>().into()
}

pub(crate) fn percent_as_forms_do(text: &str) -> Vec<u8> {
    let one = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'.' => char::from(byte).to_string(),
        b' ' => "+".to_owned(),
        _ => format!("%{byte:02X}"),
    };
    text.bytes().map(one).collect::<String>().into()
}

pub(crate) fn json_string(text: &str) -> Vec<u8> {
    serde_json::to_string(text).unwrap().into()
}

pub(crate) fn json_of_json(text: &str) -> Vec<u8> {
    serde_json::to_string(&serde_json::to_string(text).unwrap()).unwrap().into()
}

pub(crate) fn unicode_escapes(text: &str) -> Vec<u8> {
    text.chars()
        .map(|character| format!("\\u{:04x}", u32::from(character)))
        .collect::<String>()
        .into()
}

pub(crate) fn rust_debug(text: &str) -> Vec<u8> {
    format!("{text:?}").into()
}

pub(crate) fn html_numbers(text: &str) -> Vec<u8> {
    text.chars().map(|character| format!("&#{};", u32::from(character))).collect::<String>().into()
}

pub(crate) fn html_text(text: &str) -> Vec<u8> {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('"', "&quot;")
        .replace(' ', "&nbsp;")
        .into()
}

pub(crate) fn octal_escapes(text: &str) -> Vec<u8> {
    text.bytes().map(|byte| format!("\\{byte:03o}")).collect::<String>().into()
}

pub(crate) fn octal_dump(text: &str) -> Vec<u8> {
    let row = |(nth, bytes): (usize, &[u8])| {
        let bytes: String = bytes.iter().map(|byte| format!(" {byte:03o}")).collect();
        format!("{:07o}{bytes}\n", nth * 16)
    };
    text.as_bytes().chunks(16).enumerate().map(row).collect::<String>().into()
}

pub(crate) fn character_dump(text: &str) -> Vec<u8> {
    let one = |byte: &u8| {
        if *byte == b'\n' { "  \\n".to_owned() } else { format!("   {}", char::from(*byte)) }
    };
    let row = |(nth, bytes): (usize, &[u8])| {
        format!("{:07o}{}\n", nth * 16, bytes.iter().map(one).collect::<String>())
    };
    text.as_bytes().chunks(16).enumerate().map(row).collect::<String>().into()
}

pub(crate) fn quoted_printable(text: &str) -> Vec<u8> {
    let flat = text.replace('=', "=3D").replace('\n', "=0A").replace("    ", "=20=20=20=20");
    wrapped(&flat, 72).replace('\n', "=\n").into()
}

pub(crate) fn decimal_list(text: &str) -> Vec<u8> {
    format!("{:?}", text.as_bytes()).into()
}

pub(crate) fn binary_digits(text: &str) -> Vec<u8> {
    let bytes: Vec<_> = text.bytes().map(|byte| format!("{byte:08b}")).collect();
    bytes.chunks(8).map(|row| row.join(" ")).collect::<Vec<_>>().join("\n").into()
}

pub(crate) fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

pub(crate) fn utf16_in_base64(text: &str) -> Vec<u8> {
    base64_of(&text.encode_utf16().flat_map(u16::to_be_bytes).collect::<Vec<_>>()).into()
}

pub(crate) fn gzip_in_base64(text: &str) -> Vec<u8> {
    wrapped(&base64_of(&gzipped(text.as_bytes())), 76).into()
}

pub(crate) fn zlib_in_hex(text: &str) -> Vec<u8> {
    hex_of(&miniz_oxide::deflate::compress_to_vec_zlib(text.as_bytes(), 9)).into()
}

pub(crate) fn bare_deflate_in_base64(text: &str) -> Vec<u8> {
    base64_of(&miniz_oxide::deflate::compress_to_vec(text.as_bytes(), 9)).into()
}

pub(crate) fn base64_of_hex(text: &str) -> Vec<u8> {
    base64_of(hex_of(text.as_bytes()).as_bytes()).into()
}

pub(crate) fn hex_of_base64(text: &str) -> Vec<u8> {
    hex_of(base64_of(text.as_bytes()).as_bytes()).into()
}

pub(crate) fn base64_of_base64(text: &str) -> Vec<u8> {
    wrapped(&base64_of(base64_in_lines(text).as_slice()), 64).into()
}

pub(crate) fn base64_backwards(text: &str) -> Vec<u8> {
    base64_of(text.as_bytes()).chars().rev().collect::<String>().into()
}

pub(crate) fn backwards_in_base64(text: &str) -> Vec<u8> {
    base64_of(&backwards(text)).into()
}

pub(crate) fn rot13_of_base64(text: &str) -> Vec<u8> {
    shifted(&base64_of(text.as_bytes()), 13)
}

pub(crate) fn json_in_base64(text: &str) -> Vec<u8> {
    base64_of(&json_string(text)).into()
}

pub(crate) fn three_deep(text: &str) -> Vec<u8> {
    base64_of(hex_of(base64_of(text.as_bytes()).as_bytes()).as_bytes()).into()
}

pub(crate) fn unseen_between(text: &str) -> Vec<u8> {
    text.chars().map(|character| format!("{character}\u{200b}")).collect::<String>().into()
}

pub(crate) fn as_tags(text: &str) -> Vec<u8> {
    let tag = |character: char| char::from_u32(0xe0000 + u32::from(character)).unwrap();
    text.chars().map(tag).collect::<String>().into()
}

pub(crate) fn lookalikes(text: &str) -> Vec<u8> {
    text.replace('a', "а").replace('e', "е").replace('o', "о").replace('c', "с").into()
}

pub(crate) fn wide_letters(text: &str) -> Vec<u8> {
    let wide = |character: char| match character {
        '!'..='~' => char::from_u32(u32::from(character) - 0x21 + 0xff01).unwrap(),
        _ => character,
    };
    text.chars().map(wide).collect::<String>().into()
}

pub(crate) fn coloured_letters(text: &str) -> Vec<u8> {
    text.chars()
        .map(|character| format!("\u{1b}[31m{character}\u{1b}[0m"))
        .collect::<String>()
        .into()
}

pub(crate) fn struck_over(text: &str) -> Vec<u8> {
    each_line(text, |_, line| {
        line.chars().map(|character| format!("{character}\u{8}{character}")).collect()
    })
}

pub(crate) fn in_a_title(text: &str) -> Vec<u8> {
    each_line(text, |_, line| format!("\u{1b}]0;{line}\u{7}"))
}

pub(crate) fn renamed(text: &str) -> Vec<u8> {
    let mut names: Vec<String> = Vec::new();
    let mut renamed = String::new();
    for word in
        text.split_inclusive(|character: char| !character.is_alphanumeric() && character != '_')
    {
        let cut = word
            .trim_end_matches(|character: char| !character.is_alphanumeric() && character != '_');
        if cut.len() >= 3 {
            let nth = names.iter().position(|name| name == cut).unwrap_or(names.len());
            if nth == names.len() {
                names.push(cut.to_owned());
            }
            renamed.push_str(&format!("v{nth}"));
        } else {
            renamed.push_str(cut);
        }
        renamed.push_str(&word[cut.len()..]);
    }
    renamed.into()
}

pub(crate) fn a_letter_after_each(text: &str) -> Vec<u8> {
    text.chars().map(|character| format!("{character}q")).collect::<String>().into()
}

pub(crate) fn a_word_after_each(text: &str) -> Vec<u8> {
    let mut dressed = String::new();
    let mut before = ' ';
    for character in text.chars() {
        if before.is_alphanumeric() && !character.is_alphanumeric() {
            dressed.push_str(" lorem ");
        }
        dressed.push(character);
        before = character;
    }
    dressed.into()
}

pub(crate) fn ascii85(text: &str) -> Vec<u8> {
    let group = |four: &[u8]| {
        let mut bytes = [0; 4];
        bytes[..four.len()].copy_from_slice(four);
        let mut value = u32::from_be_bytes(bytes);
        let mut five = [0; 5];
        for digit in five.iter_mut().rev() {
            *digit = b'!' + (value % 85) as u8;
            value /= 85;
        }
        String::from_utf8(five.to_vec()).unwrap()
    };
    text.as_bytes().chunks(4).map(group).collect::<String>().into()
}

pub(crate) fn encrypted(text: &str) -> Vec<u8> {
    let mut key: u32 = 0x2545_f491;
    let cipher = text.bytes().map(|byte| {
        key = key.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        byte ^ (key >> 24) as u8
    });
    base64_of(&cipher.collect::<Vec<_>>()).into()
}

pub(crate) fn much_encrypted(text: &str) -> Vec<u8> {
    wrapped(&String::from_utf8(encrypted(&text.repeat(40))).unwrap(), 76).into()
}

pub(crate) fn a_bit_a_test(text: &str) -> Vec<u8> {
    let bits = text.bytes().flat_map(|byte| (0..8).map(move |nth| byte >> nth & 1)).take(400);
    let row =
        |(nth, bit)| format!("test case_{nth} ... {}\n", if bit == 1 { "ok" } else { "ignored" });
    bits.enumerate().map(row).collect::<String>().into()
}

pub(crate) fn morse(text: &str) -> Vec<u8> {
    let one = |byte: u8| {
        format!("{} ", format!("{:07b}", byte & 0x7f).replace('0', ".").replace('1', "-"))
    };
    each_line(text, |_, line| line.bytes().map(one).collect())
}

pub(crate) fn in_other_words(_text: &str) -> Vec<u8> {
    b"take the hold; when it is spent or too old, refuse; otherwise mark it, subtract it from the one who pays, \
      give it to the other one less a fee found by taking the latest time modulo twelve in a short table"
        .to_vec()
}

fn each_line(text: &str, mut dress: impl FnMut(usize, &str) -> String) -> Vec<u8> {
    let lines: Vec<_> = text.lines().enumerate().map(|(nth, line)| dress(nth + 1, line)).collect();
    lines.join("\n").into()
}

fn each_letter(text: &str, dress: impl FnMut(char) -> String) -> Vec<u8> {
    text.chars()
        .filter(|character| !character.is_whitespace())
        .map(dress)
        .collect::<String>()
        .into()
}

fn shifted(text: &str, by: u8) -> Vec<u8> {
    let shift = |byte: u8| match byte {
        b'a'..=b'z' => (byte - b'a' + by) % 26 + b'a',
        b'A'..=b'Z' => (byte - b'A' + by) % 26 + b'A',
        _ => byte,
    };
    text.bytes().map(shift).collect()
}

fn wrapped(text: &str, width: usize) -> String {
    let rows = text.as_bytes().chunks(width).map(|row| String::from_utf8(row.to_vec()).unwrap());
    rows.collect::<Vec<_>>().join("\n")
}

fn hex_of(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(crate) fn base64_of(bytes: &[u8]) -> String {
    in_groups(bytes, 3, 6, b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", 4)
}

fn base32_of(bytes: &[u8]) -> String {
    in_groups(bytes, 5, 5, b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 8)
}

fn in_groups(bytes: &[u8], group: usize, bits: usize, symbols: &[u8], width: usize) -> String {
    let mut text = String::new();
    for piece in bytes.chunks(group) {
        let value = (0..group)
            .fold(0_u64, |value, nth| value << 8 | u64::from(*piece.get(nth).unwrap_or(&0)));
        let count = (piece.len() * 8).div_ceil(bits);
        for nth in 0..width {
            let symbol = value >> (group * 8 - bits * (nth + 1)) & ((1 << bits) - 1);
            text.push(if nth < count { char::from(symbols[symbol as usize]) } else { '=' });
        }
    }
    text
}

pub(crate) fn gzipped(bytes: &[u8]) -> Vec<u8> {
    let mut packed = vec![0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3];
    packed.extend(b"source.rs\0");
    packed.extend(miniz_oxide::deflate::compress_to_vec(bytes, 6));
    packed.extend([0; 8]);
    packed
}

#[test]
fn the_encoders_are_right() {
    assert_eq!(base64_of(b"light w"), "bGlnaHQgdw==");
    assert_eq!(base32_of(b"foobar"), "MZXW6YTBOI======");
    assert_eq!(ascii85("Man "), b"9jqo^");
    assert_eq!(rot13("let"), b"yrg");
    let unpacked = miniz_oxide::inflate::decompress_to_vec(&gzipped(b"let it be")[20..]).unwrap();
    assert_eq!(unpacked, b"let it be");
}
