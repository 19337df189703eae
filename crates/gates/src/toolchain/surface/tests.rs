use super::*;

fn item(kind: ItemKind, parameters: &[&str]) -> PublicItem {
    let parameter = |name: &&str| Parameter {
        name: (*name).to_owned(),
        kind: ParameterKind::Positional,
        annotation: String::new(),
        default: DefaultValue::Absent,
    };
    let is_called = matches!(kind, ItemKind::Function | ItemKind::Method);
    let parameters = is_called.then(|| parameters.iter().map(parameter).collect());
    PublicItem { kind, signature: ItemSignature { parameters, ..ItemSignature::default() } }
}

/// A surface of functions, as `fees.day(minutes)`, and of classes, as `parking.Garage`.
fn surface(items: &[&str]) -> Surface {
    let mut surface = Surface::default();
    for text in items {
        match text.split_once('(') {
            Some((name, rest)) => {
                let names: Vec<&str> = rest.trim_end_matches(')').split_terminator(", ").collect();
                surface.add(name, item(ItemKind::Function, &names));
            }
            None => surface.add(*text, item(ItemKind::Class, &[])),
        }
    }
    surface
}

/// What the contract does not explain, line by line.
fn lines(before: &[&str], after: &[&str], announced: &[&str]) -> Vec<String> {
    let announced = announced.iter().map(|it| (*it).to_owned()).collect();
    let changes = unannounced(&surface(before), &surface(after), &announced);
    changes.iter().map(ToString::to_string).collect()
}

#[test]
fn a_difference_is_one_line_for_each_item() {
    let before = surface(&["fees.day(minutes)", "fees.fee(minutes)", "fees.Garage"]);
    let after = surface(&["fees.fee(minutes, rate)", "fees.Garage", "fees.week(days)"]);
    let shown: Vec<String> = difference(&before, &after).iter().map(ToString::to_string).collect();
    assert_eq!(
        shown,
        [
            "removed: fees.day(minutes)",
            "changed: fees.fee(minutes), now fees.fee(minutes, rate)",
            "added: fees.week(days)",
        ]
    );
    assert_eq!(difference(&after, &after), []);
    assert_ne!(before.digest(), after.digest());
}

#[test]
fn an_announced_item_explains_itself_what_is_below_and_the_types_it_is_in() {
    let before = ["p.fees.fee(a)", "p.Garage", "p.Garage.open(self)", "p.Garage.close(self)"];
    let other = ["p.fees.fee(a, b)", "p.Garage", "p.Garage.open(self)", "p.Garage.close(self)"];
    for announced in
        ["fee", "fees.fee", "p::fees::fee", "fee(a, b)", "def fee(a, b) -> int", "`fee`"]
    {
        assert_eq!(lines(&before, &other, &[announced]), [""; 0], "{announced}");
    }
    let changed = "changed: p.fees.fee(a), now p.fees.fee(a, b)";
    for announced in ["day", "Garage.fee", "p.fee", "fe", "Garage"] {
        assert_eq!(lines(&before, &other, &[announced]), [changed], "{announced}");
    }
    // A class explains its methods; a method explains its class, and no other method.
    let removed = ["p.fees.fee(a)"];
    assert_eq!(lines(&before, &removed, &["Garage"]), [""; 0]);
    assert_eq!(lines(&before, &removed, &["Garage.open"]), ["removed: p.Garage.close(self)"]);
}

#[test]
fn a_condition_may_fall_away_and_none_may_come() {
    let under = |conditions: &[&str]| {
        let mut item = item(ItemKind::Function, &["a"]);
        item.signature.qualifiers =
            ["async"].iter().chain(conditions).map(|it| (*it).to_owned()).collect();
        let mut surface = Surface::default();
        surface.add("p.fee", item);
        surface
    };
    let is_free = |before: &[&str], after: &[&str]| {
        unannounced(&under(before), &under(after), &BTreeSet::new()).is_empty()
    };
    let (unix, old) = ("#[cfg(unix)]", "#[cfg(not(old))]");
    assert!(is_free(&[unix, old], &[unix]) && is_free(&[old], &[]));
    assert!(!is_free(&[], &[old]) && !is_free(&[unix], &[old]) && !is_free(&[], &["unsafe"]));
    assert!(!is_free(&["unsafe"], &[]), "what is no condition counts both ways");
}

#[test]
fn a_module_is_announced_only_if_no_item_has_its_name() {
    let before = ["p.tariffs.day(a)", "p.tariffs.week(a)"];
    assert_eq!(lines(&before, &[], &["tariffs"]), [""; 0]);
    assert_eq!(lines(&before, &[], &["p.tariffs"]), [""; 0]);
    let before = ["p.fees.fees(a)", "p.fees.day(a)"];
    assert_eq!(lines(&before, &[], &["fees"]), ["removed: p.fees.day(a)"]);
}

#[test]
fn additions_need_no_announcement() {
    let before = ["fees.day(a)", "fees.week(a)"];
    let after = ["fees.day(a, b)", "fees.month(a)"];
    assert_eq!(
        lines(&before, &after, &[]),
        ["changed: fees.day(a), now fees.day(a, b)", "removed: fees.week(a)"]
    );
    assert_eq!(lines(&before, &after, &["week"]), ["changed: fees.day(a), now fees.day(a, b)"]);
}

#[test]
fn fields_and_variants_explain_the_type_they_are_in() {
    let mut before = surface(&["p::Garage"]);
    let mut after = before.clone();
    let mut garage = item(ItemKind::Struct, &[]);
    before.items.clear();
    before.add("p::Garage", garage.clone());
    garage.signature.result = "{ .. }".to_owned();
    after.items.clear();
    after.add("p::Garage", garage);
    let announced: BTreeSet<String> = ["Garage::floors".to_owned()].into();
    assert_eq!(unannounced(&before, &after, &announced), []);
    assert_eq!(unannounced(&before, &after, &["floors".to_owned()].into()).len(), 1);
}

#[test]
fn what_could_not_be_read_before_only_looks_added() {
    let mut before = surface(&["a.old(x)"]);
    before.unread.push(Unread { path: "b.py".to_owned(), why: "it is too long".to_owned() });
    let after = surface(&["a.old(x)", "b.f()"]);
    assert_eq!(unannounced(&before, &after, &["day".to_owned()].into()), []);
    assert_eq!(after.unread_since(&before), [&before.unread[0]; 0]);
    assert_eq!(before.unread_since(&after).len(), 1);
}

#[test]
fn names_are_taken_out_of_announcements() {
    for (announced, last) in [
        ("fee", "fee"),
        ("Parking.fee", "fee"),
        ("crate::parking::fee", "fee"),
        ("pub fn fee<T>(a: T) -> u32", "fee"),
        ("async def fee(a)", "fee"),
        ("class Parking", "Parking"),
        ("const DAY: u32 = 3", "DAY"),
        ("limits!", "limits"),
        ("Vec::<u8>", "Vec"),
    ] {
        assert_eq!(last_segment(announced), Some(last), "{announced}");
    }
    assert_eq!(last_segment("()"), None);
}

#[test]
fn parameters_print_as_people_write_them() {
    use ParameterKind::{KeywordOnly, KeywordVariadic, Positional, PositionalOnly, Variadic};
    let shown = |kinds: &[ParameterKind]| {
        let all: Vec<Parameter> = kinds
            .iter()
            .zip(["a", "b", "c", "d"])
            .map(|(kind, name)| Parameter {
                name: name.to_owned(),
                kind: *kind,
                annotation: String::new(),
                default: DefaultValue::Absent,
            })
            .collect();
        shown_parameters(&all).join(", ")
    };
    assert_eq!(shown(&[PositionalOnly, Positional, KeywordOnly, KeywordOnly]), "a, /, b, *, c, d");
    assert_eq!(shown(&[Variadic, KeywordOnly, KeywordVariadic]), "*a, b, **c");
    assert_eq!(shown(&[PositionalOnly]), "a, /");
}

#[test]
fn a_surface_is_read_back_as_it_was_written() {
    let mut surface = surface(&["fees.day(minutes)", "fees.Garage"]);
    surface.unread.push(Unread { path: "x".to_owned(), why: "y".to_owned() });
    let read: Surface = serde_json::from_slice(&surface.text()).unwrap();
    assert_eq!(read, surface);
    assert_eq!(read.digest(), surface.digest());
}
