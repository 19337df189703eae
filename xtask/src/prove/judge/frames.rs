//! Frames that no candidate may send, and what becomes of those that pass.

use std::io::Write as _;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};
use sealwright_judge::{Boundary, FRAME_BYTES_MAX};

use crate::prove::Size;
use crate::prove::figures::Figures;
use crate::prove::python::python;
use crate::workspace::{peak_memory_kib, root};

pub(super) fn prove(size: Size, figures: &mut Figures) -> Result<()> {
    let count = size.choose(200_000, 10_000_000_u64);
    let seed = if let Size::Quick(sample) = size { sample.number() } else { 1 };
    let mut random = fastrand::Rng::with_seed(seed);
    let frames: Vec<&str> = FRAMES.lines().collect();
    let before = peak_memory_kib()?;
    let (mut crossed, mut kept) = (0_u64, Vec::new());
    for nth in 0..count {
        let bytes = hostile(&frames, &mut random, nth);
        let mut boundary = Boundary::default();
        let mut pieces = bytes.chunks(random.usize(1..=bytes.len().max(1)));
        let Ok(out) = pieces.try_fold(Vec::new(), |mut out, piece| {
            out.extend(boundary.take(piece)?);
            Ok::<_, sealwright_judge::Malformed>(out)
        }) else {
            continue;
        };
        if out.is_empty() {
            continue;
        }
        crossed += 1;
        // What crossed once is in its last form.
        let again = Boundary::default().take(&out);
        ensure!(again.as_ref() == Ok(&out), "a frame is written in two ways: {again:?}");
        if out.len() < KEPT_BYTES_MAX && kept.len() < KEPT_MAX {
            kept.extend(out);
        }
    }
    let grown = peak_memory_kib()?.saturating_sub(before) / 1024;
    figures.hold(
        format!("{count} hostile frames, {} refused, no panic, {grown} MiB more", count - crossed),
        grown < MEMORY_MIB_MAX && crossed > 0 && crossed < count,
    );
    read(&kept, figures)
}

/// What crossed is read by the program that stands before the tests: it gets values and errors, and runs nothing.
fn read(frames: &[u8], figures: &mut Figures) -> Result<()> {
    let mut child = Command::new(python()?.join("bin/python3"))
        .args(["-B", "-c", READ])
        .env("PYTHONPATH", root().join("crates/judge/src/python"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    child.stdin.take().context("no input")?.write_all(frames)?;
    let output = child.wait_with_output()?;
    let said = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    figures.hold(said, output.status.success());
    Ok(())
}

/// Bytes that somebody sends who knows the protocol and does not keep to it.
fn hostile(frames: &[&str], random: &mut fastrand::Rng, nth: u64) -> Vec<u8> {
    let mut text = frames[random.usize(..frames.len())].as_bytes().to_vec();
    for _ in 0..random.usize(0..4) {
        let at = random.usize(..=text.len());
        match random.u8(..7) {
            0 if at < text.len() => text[at] = random.u8(..),
            1 => text.truncate(at),
            2 => {
                let word = WORDS[random.usize(..WORDS.len())];
                text.splice(at..at, word.bytes());
            }
            3 => {
                let end = random.usize(at..=text.len());
                let part = text[at..end].to_vec();
                text.splice(at..at, part);
            }
            4 => {
                let end = random.usize(at..=text.len());
                text.drain(at..end);
            }
            5 => {
                let other = frames[random.usize(..frames.len())].as_bytes();
                text.splice(at..at, other[random.usize(..other.len())..].iter().copied());
            }
            _ => {
                // One value more in the place of another.
                let value = WORDS[random.usize(..WORDS.len())];
                if let Some(comma) = text[at..].iter().position(|byte| *byte == b',') {
                    let place = at + comma;
                    text.splice(place..place, format!(",{value}").bytes());
                }
            }
        }
    }
    // Now and then something very long, or very deep.
    if nth.is_multiple_of(LONG_EVERY) {
        let value = match random.u8(..3) {
            0 => "[".repeat(random.usize(..1 << 20)),
            1 => format!("[\"list\"{}]", ",0".repeat(random.usize(..1 << 21))),
            _ => format!("\"{}\"", "x".repeat(random.usize(..FRAME_BYTES_MAX + 100))),
        };
        text = format!("[\"ok\",1,{value},[],[]]").into_bytes();
    }
    let length = match random.u8(..40) {
        0 => random.u32(..),
        1 => u32::MAX,
        _ => u32::try_from(text.len()).unwrap_or(u32::MAX),
    };
    [&length.to_be_bytes()[..], &text].concat()
}

/// Frames that a candidate may send, one in a line.
const FRAMES: &str = include_str!("../../../../crates/judge/tests/frames.txt");

const WORDS: [&str; 24] = [
    "null",
    "true",
    "1e999",
    "-1",
    "18446744073709551616",
    "[]",
    "{}",
    "{\"a\":1}",
    "\"\\ud800\"",
    "[\"name\",\"os\",\"system\"]",
    "[\"name\",\"builtins\",\"eval\"]",
    "[\"yours\",1]",
    "[\"yours\",99]",
    "[\"mine\",1,null,\"X\",[\"__eq__\"],[],null,null]",
    "[\"member\",[\"yours\",1],\"A\"]",
    "[\"int\",\"ff\"]",
    "[\"bytes\",\"zz\"]",
    "\"__class__\"",
    "\"__globals__\"",
    "[\"error\",1,[\"builtins\",\"SystemExit\"],\"E\",[],\"\",[\"dict\"]]",
    "[\"datetime\",1,2]",
    "[\"decimal\",\"sNaN\"]",
    "[\"path\",\"/etc\"]",
    "\u{0}",
];

/// Reads frames as answers to a test that has given three objects away. Whatever is not a value or an error, and whatever
/// would be run, is counted.
const READ: &str = r#"
import io, os, struct, sys, warnings, zoneinfo
import judge, lending, values
# The text of whoever asks is read once.
lending.of_file("<string>")
# Showing a warning would read the line it is about.
warnings.showwarning = lambda *args, **keywords: None
allowed = {"builtins.id", "object.__getattr__", "sys._getframe", "object.__setattr__", "object.__delattr__", "code.__new__", "gc.get_referrers"}
ran = []
class Given:
    name = "given"
    def __next__(self):
        raise StopIteration
def hook(event, args):
    is_zone = event == "open" and str(args[0]).startswith(tuple(folder + "/" for folder in zoneinfo.TZPATH)) and args[2] == os.O_RDONLY | os.O_CLOEXEC
    if watching and event not in allowed and not is_zone and not (event == "import" and args[0] in sys.modules):
        ran.append((event, args[:1]))
watching = False
sys.addaudithook(hook)
data = sys.stdin.buffer.read()
at, frames, got, broken, errors = 0, 0, 0, 0, 0
class Stream(judge.Judge):
    def __init__(self, frame):
        super().__init__(0, ["pkg"])
        self.frame = frame
        for _ in range(3):
            self.export(Given())
    def send(self, *frame):
        self.asked = 1
    def read(self, count):
        part, self.frame = self.frame[:count], self.frame[count:]
        if len(part) < count:
            raise values.Broken("it ended")
        return part
while at < len(data):
    (length,) = struct.unpack(">I", data[at : at + 4])
    frame = data[at : at + 4 + length]
    at += 4 + length
    frames += 1
    one = Stream(frame)
    outputs, sys.stdout, sys.stderr = (sys.stdout, sys.stderr), io.StringIO(), io.StringIO()
    watching = True
    try:
        one.ask("get", None, "name")
        got += 1
    except values.Broken:
        broken += 1
    except (Exception, KeyboardInterrupt, SystemExit) as error:
        errors += 1
        if isinstance(error, (KeyboardInterrupt, SystemExit)):
            ran.append(("steered", type(error).__name__))
    finally:
        watching = False
        sys.stdout, sys.stderr = outputs
print(f"{frames} that crossed were read: {got} values, {errors} errors, {broken} ends, {len(ran)} that ran something {ran[:3] or ''}")
raise SystemExit(bool(ran) or not got or not errors)
"#;

const KEPT_BYTES_MAX: usize = 10_000;
const KEPT_MAX: usize = 16 << 20;
const LONG_EVERY: u64 = 20_000;
const MEMORY_MIB_MAX: u64 = 1024;
