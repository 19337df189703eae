//! What may cross the boundary, and what may not.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail loudly")]

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use proptest::prelude::*;
use sealwright_judge::{Boundary, FRAME_BYTES_MAX, Malformed};

fn framed(text: &str) -> Vec<u8> {
    let length = u32::try_from(text.len()).unwrap();
    [&length.to_be_bytes(), text.as_bytes()].concat()
}

fn crossed(text: &str) -> Result<String, Malformed> {
    let out = Boundary::default().take(&framed(text))?;
    Ok(String::from_utf8(out[4..].to_vec()).unwrap())
}

/// Every plain value that Python writes goes through unchanged, and Python reads the same value again.
#[test]
fn values_of_python_cross_unchanged() {
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/python");
    let python = |program: &str, input: &[u8]| {
        #[expect(clippy::disallowed_methods, reason = "what Python writes is read as it is")]
        let mut child = Command::new("python3")
            .args(["-B", "-c", &format!("{VALUES}\n{program}")])
            .env("PYTHONPATH", &programs)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success());
        output.stdout
    };
    let written = python(WRITE, b"");
    let mut boundary = Boundary::default();
    // In pieces, as a stream brings it.
    let pieces = written.chunks(7).map(|piece| boundary.take(piece).unwrap());
    let crossed = pieces.collect::<Vec<_>>().concat();
    let said = python(READ, &crossed);
    assert_eq!(String::from_utf8(said).unwrap(), "54 values are the same\n");
}

#[test]
fn frames_of_the_protocol_cross() {
    for frame in FRAMES.lines() {
        let crossed = crossed(frame).unwrap_or_else(|why| panic!("{frame}: {why}"));
        assert_eq!(crossed, frame.replace("\\u00ff", "ÿ"), "written anew, the same");
    }
}

#[test]
fn anything_else_ends_the_conversation() {
    let deep = format!(r#"["ok",1,{}1{},[],[]]"#, r#"["list","#.repeat(200), "]".repeat(200));
    let many = format!(r#"["ok",1,["list"{}],[],[]]"#, ",0".repeat(1 << 20));
    for frame in [
        "",
        "{}",
        r#"{"ok":1}"#,
        r#"["ok",1,{"a":1},[],[]]"#,
        r#"["ok",1,null,[],[]] "x""#,
        r#"["ok",-1,null,[],[]]"#,
        r#"["ok",1.0,null,[],[]]"#,
        r#"["ok",1,null,[]]"#,
        r#"["ok",1,NaN,[],[]]"#,
        r#"["ok",1,1e999,[],[]]"#,
        r#"["ok",1,18446744073709551615,[],[]]"#,
        r#"["ok",1,"\ud800",[],[]]"#,
        r#"["ok",1,[],[],[]]"#,
        r#"["ok",1,["eval","1"],[],[]]"#,
        r#"["ok",1,["bytes","\u0100"],[],[]]"#,
        r#"["ok",1,["dict","key"],[],[]]"#,
        r#"["ok",1,["int","0x"],[],[]]"#,
        r#"["ok",1,["int","1_0"],[],[]]"#,
        r#"["ok",1,["range",1,"2",3],[],[]]"#,
        r#"["ok",1,["name","os;system","x"],[],[]]"#,
        r#"["ok",1,["mine",1,null,"T",["__eq__ "],[],null,null],[],[]]"#,
        r#"["ok",1,["mine",1,null,"T",[],[],null],[],[]]"#,
        r#"["raise",1,"text",[],[]]"#,
        r#"["ask",1,"set",[["yours",1],"name",2],[],[]]"#,
        r#"["ask",1,"get",[["yours",1],"a b"],[],[]]"#,
        r#"["ask",1,"call",[["yours",1],[],["dict"]],[],[]]"#,
        r#"["ask",1,"call",[["name","types","CodeType"],["tuple"],["dict"]],[],[]]"#,
        r#"["ask",1,"get",[["path","test_shop.py"],"read_text"],[],[]]"#,
        r#"["ask",1,"get",["{0.__globals__}","format"],[],[]]"#,
        r#"["ask",1,"import",["os"],[],[]]"#,
        r#"["gone",0,null,[],[]]"#,
        r#"["gone",0,[[1]],[]]"#,
        r#"["gone",0,[],[["output",3,"x"]]]"#,
        r#"["gone",0,[],[["variable","PATH","x"]]]"#,
        r#"["gone",0,[],[["changed",true,1]]]"#,
        r#"["gone",0,[],[["changed",true,1,["tuple"]]]]"#,
        r#"["gone",0,[],[["dropped",1,1]]]"#,
        r#"["ok",1,["held",1,["held",2,["list"]]],[],[]]"#,
        r#"["ok",1,["held",1,5],[],[]]"#,
        r#"["ok",1,["kept",-1],[],[]]"#,
        r#"["ok",1,["zone","../../etc/passwd"],[],[]]"#,
        r#"["ok",1,["zone","a//b"],[],[]]"#,
        r#"["ok",1,["at",["date","2026-10-25"],0,null],[],[]]"#,
        r#"["ok",1,["at",["time","02:30:00"],2,null],[],[]]"#,
        r#"["raise",1,["error",1,["builtins","OSError"],"OSError",[],"",["list"]],[],[]]"#,
        &deep,
        &many,
    ] {
        let is_refused = crossed(frame).is_err();
        assert!(is_refused, "{}", &frame[..frame.len().min(80)]);
    }
}

#[test]
fn a_length_that_is_too_large_is_refused_before_anything_of_the_frame_comes() {
    let length = u32::try_from(FRAME_BYTES_MAX + 1).unwrap();
    let said = Boundary::default().take(&length.to_be_bytes());
    assert_eq!(said, Err(Malformed::TooLong));
}

proptest! {
    /// Whatever a candidate sends, in whatever pieces: it is refused, or what goes on is read again as the same.
    #[test]
    fn what_crosses_crosses_again(bytes in frame(), cut in 0..40_usize) {
        let mut boundary = Boundary::default();
        let (head, tail) = bytes.split_at(cut.min(bytes.len()));
        let crossed = boundary.take(head).and_then(|first| Ok([first, boundary.take(tail)?].concat()));
        if let Ok(out) = crossed {
            prop_assert_eq!(Boundary::default().take(&out), Ok(out.clone()));
        }
    }
}

/// Frames that are nearly right.
fn frame() -> impl Strategy<Value = Vec<u8>> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        any::<i64>().prop_map(|it| it.to_string()),
        any::<f64>().prop_map(|it| format!("{it:?}")),
        "[a-z\\\\\"u0-9{}]{0,6}".prop_map(|it| format!("\"{it}\"")),
    ];
    let tag = prop::sample::select(vec![
        "list", "dict", "bytes", "int", "mine", "yours", "name", "error", "held", "kept", "at",
        "zone", "timezone", "x",
    ]);
    let value = leaf.prop_recursive(4, 32, 5, move |inner| {
        (tag.clone(), prop::collection::vec(inner, 0..8)).prop_map(|(tag, items)| {
            let items: String = items.iter().map(|it| format!(",{it}")).collect();
            format!("[\"{tag}\"{items}]")
        })
    });
    let kind = prop::sample::select(vec!["ok", "raise", "ask", "gone"]);
    (kind, value, any::<bool>()).prop_map(|(kind, value, is_whole)| {
        let text = format!("[\"{kind}\",1,{value},[],[]]");
        let mut bytes = framed(&text);
        if !is_whole {
            bytes.truncate(bytes.len() - 1);
        }
        bytes
    })
}

/// Frames that a candidate may send, one in a line.
const FRAMES: &str = include_str!("frames.txt");

const VALUES: &str = r#"
import collections, datetime, decimal, fractions, json, pathlib, struct, sys, uuid
from values import decode, encode

nan, utc = float("nan"), datetime.timezone.utc
values = [
    None, True, False, 0, -1, 2**63 - 1, -2**63, 2**63, -2**200, 0.1, -0.0, 5e-324, 1.7976931348623157e308, 1e16, nan,
    float("inf"), -float("inf"), "", "a\x00\x1f\"\\", "é\u2028😀", "\ud800", "\udfff😀", b"", bytes(range(256)), bytearray(b"\xff"),
    [], [1, [2, [3]]], (), (1,), {}, {"a": [1], (1, 2): {}}, {1, 2}, frozenset({"x"}), collections.OrderedDict(b=1, a=2),
    collections.Counter("aab"), collections.deque([1, 2], 5), 1 + 2j, complex(nan, 0), range(1, 10**30, 3), slice(None, 2),
    decimal.Decimal("1.10"), decimal.Decimal("NaN"), fractions.Fraction(-1, 3), datetime.datetime(2024, 2, 29, 1, 2, 3, 4, utc),
    datetime.date(1, 1, 1), datetime.timedelta(-1, 2, 3), uuid.UUID(int=1), pathlib.PosixPath("a/b"), NotImplemented,
    datetime.datetime(2026, 10, 25, 2, 30, fold=1), datetime.time(2, 30, tzinfo=utc), datetime.timezone(datetime.timedelta(hours=1), "CET"),
    utc, datetime.datetime(2026, 3, 29, tzinfo=datetime.timezone(datetime.timedelta(minutes=-30, microseconds=1))),
]
refuse = lambda value: 1 / 0
"#;

const WRITE: &str = r#"
for value in values:
    text = json.dumps(["ok", 1, encode(value, refuse), [], []], allow_nan=False).encode()
    sys.stdout.buffer.write(struct.pack(">I", len(text)) + text)
"#;

const READ: &str = r#"
raw, count = sys.stdin.buffer.read(), 0
for value in values:
    (length,) = struct.unpack(">I", raw[:4])
    text, raw = raw[4 : 4 + length], raw[4 + length :]
    again = decode(json.loads(text)[2], refuse)
    assert type(again) is type(value) and repr(again) == repr(value), (value, again)
    count += 1
assert not raw
print(count, "values are the same")
"#;
