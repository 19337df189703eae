//! The table of attempts to leak source, and their results.

use sealwright_leak::Coding::{
    self, Base32, Base64, Binary, Decimal, Deflate, Escapes, Hex, Octal, Reversed, Rot13, Rot47,
};

use super::encoders as by;

/// One way to leak source.
#[derive(Debug)]
pub(crate) struct Attempt {
    pub(crate) name: &'static str,
    pub(crate) encode: fn(&str) -> Vec<u8>,
    pub(crate) end: End,
}

/// The result of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// Cut as a run of sealed source, once these encodings are undone.
    Run(&'static [Coding]),
    /// Cut as unreadable.
    Unreadable,
    /// Removed, because it is not text.
    Removed,
    Passes(&'static str),
}

impl End {
    pub(crate) fn text(self) -> String {
        match self {
            Self::Run([]) => "cut: read as it is".to_owned(),
            Self::Run(codings) => {
                let codings: Vec<_> = codings.iter().map(ToString::to_string).collect();
                format!("cut: read through {}", codings.join(", "))
            }
            Self::Unreadable => "cut: more unreadable text than may pass".to_owned(),
            Self::Removed => "removed before it is read".to_owned(),
            Self::Passes(why) => format!("**passes**: {why}"),
        }
    }
}

const fn attempt(name: &'static str, encode: fn(&str) -> Vec<u8>, end: End) -> Attempt {
    Attempt { name, encode, end }
}

pub(crate) const ATTEMPTS: &[Attempt] = &[
    attempt("as it is", by::plain, End::Run(&[])),
    attempt("indented and wrapped anew", by::rewrapped, End::Run(&[])),
    attempt("all in one line", by::one_line, End::Run(&[])),
    attempt("in capitals, without blanks", by::loud_and_close, End::Run(&[])),
    attempt("without punctuation", by::without_punctuation, End::Run(&[])),
    attempt("blanks between the letters", by::spaced_letters, End::Run(&[])),
    attempt("each line as an error", by::as_errors, End::Run(&[])),
    attempt("each line with its number", by::numbered, End::Run(&[])),
    attempt("each line in a compiler message", by::as_compiler_messages, End::Run(&[])),
    attempt("each line with a diff mark", by::as_diff, End::Run(&[])),
    attempt("each line as a quoted string", by::as_quoted_list, End::Run(&[])),
    attempt("each line in a log with its time", by::as_log, End::Run(&[])),
    attempt("noise between the lines", by::between_noise, End::Run(&[])),
    attempt("labels before and noise between the lines", by::labelled_between_noise, End::Run(&[])),
    attempt("lines in reverse order", by::lines_backwards, End::Run(&[])),
    attempt("every second line", by::every_second_line, End::Run(&[])),
    attempt("lines shuffled", by::shuffled_lines, End::Run(&[])),
    attempt("one letter a line", by::one_letter_a_line, End::Run(&[])),
    attempt("one letter an error", by::one_letter_an_error, End::Run(&[])),
    attempt("the last letters of other lines", by::last_letters, End::Run(&[])),
    attempt("invisible characters between the letters", by::unseen_between, End::Run(&[])),
    attempt("letters of other scripts that look alike", by::lookalikes, End::Run(&[])),
    attempt("wide letters", by::wide_letters, End::Run(&[])),
    attempt("every letter in a colour", by::coloured_letters, End::Run(&[])),
    attempt("every letter struck over", by::struck_over, End::Run(&[])),
    attempt("two bytes a letter (UTF-16)", by::utf16, End::Run(&[])),
    attempt("invisible tag characters", by::as_tags, End::Removed),
    attempt("in the title of the terminal", by::in_a_title, End::Removed),
    attempt("backwards", by::backwards, End::Run(&[Reversed])),
    attempt("each line backwards", by::each_line_backwards, End::Run(&[Reversed])),
    attempt("rot13", by::rot13, End::Run(&[Rot13])),
    attempt("rot47", by::rot47, End::Run(&[Rot47])),
    attempt("base64", by::base64, End::Run(&[Base64])),
    attempt("base64 in lines of 76", by::base64_in_lines, End::Run(&[Base64])),
    attempt("base64 in lines of 7", by::base64_in_narrow_lines, End::Run(&[Base64])),
    attempt("base64 for URLs", by::base64_for_urls, End::Run(&[Base64])),
    attempt("base64 from the middle of a group", by::base64_from_the_middle, End::Run(&[Base64])),
    attempt("base64 line by line, with labels", by::base64_line_by_line, End::Run(&[Base64])),
    attempt("base64 with noise between its lines", by::base64_between_noise, End::Run(&[Base64])),
    attempt("base32", by::base32, End::Run(&[Base32])),
    attempt("base32 in small letters, in lines", by::base32_small_in_lines, End::Run(&[Base32])),
    attempt("hex", by::hex, End::Run(&[Hex])),
    attempt("hex in capitals, in pairs", by::hex_in_pairs, End::Run(&[Hex])),
    attempt("hex as `\\x6c`", by::hex_as_bytes, End::Run(&[Escapes])),
    attempt("hex as `0x6c,`", by::hex_as_numbers, End::Run(&[Hex])),
    attempt("a hex dump with addresses", by::hex_dump, End::Run(&[Hex])),
    attempt("bytes as a list of numbers", by::decimal_list, End::Run(&[Decimal])),
    attempt("bytes as binary digits", by::binary_digits, End::Run(&[Binary])),
    attempt("bytes as an octal dump", by::octal_dump, End::Run(&[Octal])),
    attempt("characters as a dump with addresses", by::character_dump, End::Run(&[Escapes])),
    attempt("octal escapes", by::octal_escapes, End::Run(&[Escapes])),
    attempt("percent signs before everything", by::percent_everything, End::Run(&[Escapes])),
    attempt("percent signs as forms use them", by::percent_as_forms_do, End::Run(&[Escapes])),
    attempt("a JSON string", by::json_string, End::Run(&[Escapes])),
    attempt("a JSON string in a JSON string", by::json_of_json, End::Run(&[Escapes, Escapes])),
    attempt("a debug string", by::rust_debug, End::Run(&[Escapes])),
    attempt("`\\u006c` for every letter", by::unicode_escapes, End::Run(&[Escapes])),
    attempt("HTML numbers for every letter", by::html_numbers, End::Run(&[Escapes])),
    attempt("HTML text", by::html_text, End::Run(&[Escapes])),
    attempt("quoted-printable", by::quoted_printable, End::Run(&[Escapes])),
    attempt("UTF-16 in base64", by::utf16_in_base64, End::Run(&[Base64])),
    attempt("gzip in base64", by::gzip_in_base64, End::Run(&[Base64, Deflate])),
    attempt("zlib in hex", by::zlib_in_hex, End::Run(&[Hex, Deflate])),
    attempt("hex in base64", by::base64_of_hex, End::Run(&[Base64, Hex])),
    attempt("base64 in hex", by::hex_of_base64, End::Run(&[Hex, Base64])),
    attempt("base64 in base64", by::base64_of_base64, End::Run(&[Base64, Base64])),
    attempt("JSON in base64", by::json_in_base64, End::Run(&[Base64])),
    attempt("base64, backwards", by::base64_backwards, End::Run(&[Reversed, Base64])),
    attempt("backwards, in base64", by::backwards_in_base64, End::Run(&[Base64, Reversed])),
    attempt("base64, then rot13", by::rot13_of_base64, End::Run(&[Rot13, Base64])),
    attempt("encrypted, some ten thousand bytes", by::much_encrypted, End::Unreadable),
    attempt(
        "encrypted, a few hundred bytes",
        by::encrypted,
        End::Passes("a key of one's own; 8 KiB an output"),
    ),
    attempt("three codings deep", by::three_deep, End::Passes("two are undone; 8 KiB an output")),
    attempt("ascii85", by::ascii85, End::Passes("not undone; 8 KiB an output")),
    attempt(
        "deflate without a head, in base64",
        by::bare_deflate_in_base64,
        End::Passes("not known from noise; 8 KiB an output"),
    ),
    attempt("letters moved by three", by::caesar, End::Passes("only half an alphabet is tried")),
    attempt("dots and dashes", by::morse, End::Passes("an alphabet of one's own")),
    attempt("another letter after each", by::a_letter_after_each, End::Passes("no run is left")),
    attempt("another word after each", by::a_word_after_each, End::Passes("no run is left")),
    attempt("every name replaced", by::renamed, End::Passes("the shape without the words")),
    attempt("told in other words", by::in_other_words, End::Passes("a meaning is not a copy")),
    attempt("one bit a test", by::a_bit_a_test, End::Passes("a verdict is what a gate is for")),
];
