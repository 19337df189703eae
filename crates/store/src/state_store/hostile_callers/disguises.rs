//! Other spellings of a path, as a caller tries them that wants to pass a guard.

use fastrand::Rng;

/// One to three changes that some system would undo.
pub(super) fn disguised(path: &str, rng: &mut Rng) -> String {
    let mut path = path.to_owned();
    for _ in 0..rng.usize(1..4) {
        path = change(&path, rng);
    }
    path
}

fn change(path: &str, rng: &mut Rng) -> String {
    let mut parts: Vec<String> = path.split('/').map(str::to_owned).collect();
    let at = rng.usize(..parts.len());
    match rng.u8(..22) {
        0 => return format!("/{path}"),
        1 => return format!("{path}/"),
        2 => return format!("./{path}"),
        3 => return path.replacen('/', "//", 1),
        4 => return path.replace('/', "\\"),
        5 => return format!("{path}\0.md"),
        6 => return format!("{path}::$DATA"),
        7 => return format!("{path}{}", "/x".repeat(rng.usize(1..80))),
        8 => return format!("../store/{path}"),
        9 => return format!("file:///{path}"),
        10 => parts.insert(at, "..".to_owned()),
        11 => {
            let name = parts[at].clone();
            parts.splice(at..at, [name, "..".to_owned()]);
        }
        12 => parts[at] = parts[at].to_uppercase(),
        13 => parts[at] = parts[at].to_lowercase(),
        14 => parts[at] = wide(&parts[at]),
        // Cyrillic letters that look like these.
        15 => {
            parts[at] =
                parts[at].replace('e', "\u{435}").replace('a', "\u{430}").replace('c', "\u{441}")
        }
        16 => parts[at] = parts[at].replace('s', "\u{17f}").replace('K', "\u{212a}"),
        17 => parts[at] = parts[at].replace('i', "i\u{200d}").replace('\u{fc}', "u\u{308}"),
        18 => parts[at].push(if rng.bool() { '.' } else { ' ' }),
        19 => parts[at] = parts[at].replace('e', "%65").replace('.', "%2e"),
        20 => parts[at] = "*".to_owned(),
        _ => parts.truncate(at.max(1)),
    }
    parts.join("/")
}

/// The same letters, as wide as ideographs; compatibility forms make them plain again.
fn wide(name: &str) -> String {
    let wide = |it: char| match it {
        '!'..='~' => char::from_u32(it as u32 + 0xfee0).unwrap_or(it),
        other => other,
    };
    name.chars().map(wide).collect()
}
