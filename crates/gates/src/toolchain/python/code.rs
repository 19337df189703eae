//! What of a Python file does something: its lines without comments, and without texts that stand alone.
//!
//! Read letter by letter, in one pass: the text is hostile, and may be no Python at all.

/// The lines that do something, each without comments and blanks around it. A statement that is nothing but a text is
/// left out: it is a comment, or what `help` prints.
pub(super) fn of(text: &str) -> Vec<String> {
    let (mut lines, mut statement) = (Vec::new(), Statement::default());
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let (taken, left) = match letter {
            '#' => (None, rest.find('\n').map_or("", |end| &rest[end..])),
            '"' | '\'' => {
                let (text, left) = rest.split_at(text_length(rest));
                (Some(text), left)
            }
            _ => {
                let (one, left) = rest.split_at(letter.len_utf8());
                (Some(one), left)
            }
        };
        statement.take(taken.unwrap_or_default());
        let is_end = left.is_empty() || (letter == '\n' && statement.depth == 0);
        if is_end {
            lines.append(&mut std::mem::take(&mut statement).lines());
        }
        rest = left;
    }
    lines
}

#[derive(Debug, Default)]
struct Statement {
    text: String,
    /// How many brackets are open.
    depth: u32,
    /// Whether there is more in it than texts and what may stand before one.
    is_more: bool,
}

impl Statement {
    fn take(&mut self, taken: &str) {
        match taken {
            "(" | "[" | "{" => self.depth += 1,
            ")" | "]" | "}" => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        let is_text = taken.starts_with(['"', '\'']);
        // Letters before a text say how it is read.
        let is_prefix = matches!(taken, "r" | "R" | "u" | "U" | "b" | "B" | "f" | "F");
        self.is_more |= !is_text && !is_prefix && !taken.trim().is_empty();
        self.text.push_str(taken);
    }

    fn lines(self) -> Vec<String> {
        let begins =
            self.text.trim_start().trim_start_matches(['r', 'R', 'u', 'U', 'b', 'B', 'f', 'F']);
        if !self.is_more && begins.starts_with(['"', '\'']) {
            return Vec::new();
        }
        let lines = self.text.lines().map(str::trim);
        lines.filter(|line| !line.is_empty()).map(str::to_owned).collect()
    }
}

/// The length of the text that begins here, with its quotes. One in single quotes ends with its line at the latest.
fn text_length(rest: &str) -> usize {
    let quote = &rest[..1];
    let triple = quote.repeat(3);
    let is_long = rest.starts_with(&triple);
    let end = if is_long { triple.as_str() } else { quote };
    let mut at = end.len();
    while let Some(letter) = rest[at..].chars().next() {
        if rest[at..].starts_with(end) {
            return at + end.len();
        }
        match letter {
            '\n' if !is_long => return at,
            '\\' => at += 1 + rest[at + 1..].chars().next().map_or(0, char::len_utf8),
            _ => at += letter.len_utf8(),
        }
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn comments_and_texts_that_stand_alone_are_left_out() {
        let text = "\"\"\"What it is.\n\nx = 1\n\"\"\"\nimport os  # why\n\n\ndef f(a,  # first\n      b='#'):\n    r'''Says\n    more.'''\n    \
                    return a[\"it's\"] + b\n";
        assert_eq!(of(text), ["import os", "def f(a,", "b='#'):", "return a[\"it's\"] + b"]);
    }

    #[test]
    fn texts_that_do_something_stay() {
        let text = "x = '''a\n# b\n'''\nprint('''c''')\n'd'.join(x)\nreturn 'e'\n";
        assert_eq!(
            of(text),
            ["x = '''a", "# b", "'''", "print('''c''')", "'d'.join(x)", "return 'e'"]
        );
        assert_ne!(of("x = 'a'\n"), of("x = 'b'\n"));
    }

    #[test]
    fn whatever_the_text_is_it_is_read_once() {
        for text in ["'", "'''", "\"\\", "# é", "(((", "'é\\é\n'", "r", "\\", "{'a': 'b'\n"] {
            let _ = of(text);
        }
        assert_eq!(of(&"'''".repeat(100_001)).len(), 0);
    }
}
