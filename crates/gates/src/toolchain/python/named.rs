//! Names of test files that a project gives with `python_files`, beside those that pytest knows by itself.

use crate::toolchain::paths::name_of;

/// The patterns of `python_files` in a configuration of pytest, whatever its form.
pub(super) fn patterns(configuration: &str) -> Vec<String> {
    let mut lines = configuration.lines();
    let begins = |line: &str| {
        let rest = line.trim_start().strip_prefix("python_files")?;
        rest.trim_start().strip_prefix('=').map(str::to_owned)
    };
    let Some(mut value) = lines.find_map(begins) else { return Vec::new() };
    // A list goes on until it is closed, a value of an INI file as long as lines are indented.
    for line in lines.take(LINES_MAX) {
        let is_open = value.contains('[') && !value.contains(']');
        let goes_on = is_open || (!value.contains('[') && line.starts_with([' ', '\t']));
        if !goes_on {
            break;
        }
        value.push(' ');
        value.push_str(line);
    }
    let between = |letter: char| letter.is_whitespace() || "[],\"'".contains(letter);
    value.split(between).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Whether a pattern of pytest means the file.
pub(super) fn is_meant(pattern: &str, path: &str) -> bool {
    let name = if pattern.contains('/') { path } else { name_of(path) };
    path.ends_with(".py") && matches(pattern.as_bytes(), name.as_bytes())
}

/// `*` stands for any letters, `?` for one.
fn matches(pattern: &[u8], name: &[u8]) -> bool {
    let (mut at, mut of, mut star) = (0, 0, None);
    while of < name.len() {
        match pattern.get(at) {
            Some(b'*') => {
                star = Some((at, of));
                at += 1;
            }
            Some(letter) if *letter == b'?' || *letter == name[of] => {
                at += 1;
                of += 1;
            }
            Some(_) | None => match &mut star {
                Some((again, taken)) => {
                    *taken += 1;
                    (at, of) = (*again + 1, *taken);
                }
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|letter| *letter == b'*')
}

const LINES_MAX: usize = 50;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_found_in_every_form() {
        for text in [
            "[tool.pytest.ini_options]\npython_files = [\"check_*.py\", 'test_*.py']\nxfail_strict = true\n",
            "[tool.pytest.ini_options]\npython_files = [\n  \"check_*.py\",\n  \"test_*.py\",\n]\nother = [\"x\"]\n",
            "[tool:pytest]\npython_files = check_*.py test_*.py\naddopts = -q\n",
            "[pytest]\npython_files =\n    check_*.py\n    test_*.py\naddopts = -q\n",
        ] {
            assert_eq!(patterns(text), ["check_*.py", "test_*.py"], "{text}");
        }
        assert!(patterns("[pytest]\naddopts = -q\n# python_files = x\n").is_empty());
    }

    #[test]
    fn a_pattern_means_names_and_paths() {
        for (pattern, path) in [
            ("check_*.py", "checks/check_a.py"),
            ("*", "a.py"),
            ("t?st*.py", "tests.py"),
            ("checks/*.py", "checks/a.py"),
        ] {
            assert!(is_meant(pattern, path), "{pattern} {path}");
        }
        for (pattern, path) in
            [("check_*.py", "checks/a.py"), ("check_*", "check_a.txt"), ("a*b*c.py", "abd.py")]
        {
            assert!(!is_meant(pattern, path), "{pattern} {path}");
        }
    }
}
