//! Ids at the beginning of a text: `AC-1: …`, `CH-2 …`.

/// The acceptance criterion id that a text starts with, and the text after it.
pub(crate) fn criterion(text: &str) -> Option<(&str, &str)> {
    leading(text).filter(|(id, _)| id.starts_with("AC-"))
}

/// The acceptance criterion ids that a text starts with: `AC-1, AC-2: …`.
pub(crate) fn criteria(text: &str) -> Vec<&str> {
    let (mut ids, mut rest) = (Vec::new(), text);
    while let Some((id, after)) = leading_exact(rest).filter(|(id, _)| id.starts_with("AC-")) {
        ids.push(id);
        rest = after.trim_start();
        let joined = [",", "and ", "+", "&"].into_iter().find_map(|it| rest.strip_prefix(it));
        let Some(next) = joined else { break };
        rest = next.trim_start();
    }
    ids
}

/// The id that a text starts with, such as `CH-1`, and the text after it without its separator.
pub(crate) fn leading(text: &str) -> Option<(&str, &str)> {
    let (id, rest) = leading_exact(text)?;
    let is_separator = |it: char| it.is_whitespace() || ":.—–-".contains(it);
    Some((id, rest.trim_start_matches(is_separator).trim_end()))
}

fn leading_exact(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let in_prefix = |it: char| it.is_ascii_uppercase() || it.is_ascii_digit();
    let prefix = text.find(|it: char| !in_prefix(it))?;
    let after = text[prefix..].strip_prefix('-')?;
    let in_id = |it: char| it.is_ascii_alphanumeric() || it == '-';
    let number = &after[..after.find(|it| !in_id(it)).unwrap_or(after.len())];
    let number = number.trim_end_matches('-');
    let is_id = text.starts_with(|it: char| it.is_ascii_uppercase())
        && number.starts_with(|it: char| it.is_ascii_alphanumeric())
        && prefix + 1 + number.len() <= ID_BYTES_MAX;
    let (id, rest) = text.split_at(prefix + 1 + number.len());
    // `AC-1é` and `AC-1_b` are other words, not an id with a text.
    let ends = !rest.starts_with(|it: char| it.is_alphanumeric() || it == '_');
    (is_id && ends).then_some((id, rest))
}

const ID_BYTES_MAX: usize = 64;

#[cfg(test)]
mod tests {
    use super::{criteria, criterion, leading};

    #[test]
    fn an_id_stands_at_the_beginning_and_ends_with_its_word() {
        assert_eq!(criterion("AC-1: a list"), Some(("AC-1", "a list")));
        assert_eq!(criterion("AC-LOGIN-2 — a list"), Some(("AC-LOGIN-2", "a list")));
        for text in
            ["a list of AC-1", "ac-1: a", "AC-", "AC--", "AC 1", "AC-1é", "AC-1_b", "", "-1"]
        {
            assert_eq!(criterion(text), None, "{text}");
        }
        assert_eq!(leading("CH-9"), Some(("CH-9", "")));
        assert_eq!(criterion("CH-9: a"), None);
        assert_eq!(criterion(&format!("AC-{}", "1".repeat(100))), None);
    }

    #[test]
    fn several_ids_are_joined_by_commas_or_and() {
        assert_eq!(criteria("AC-1, AC-2 and AC-3: before AC-4"), ["AC-1", "AC-2", "AC-3"]);
        assert!(criteria("the skeleton of AC-1").is_empty());
    }
}
