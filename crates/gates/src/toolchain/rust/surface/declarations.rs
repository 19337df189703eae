//! What one file declares: its items, imports and modules, without the bodies of functions.

use crate::toolchain::language::Unread;
use crate::toolchain::rust::tokens::{self, Bracket, Token, What};
use crate::toolchain::surface::{
    DefaultValue, ItemKind, ItemSignature, Parameter, ParameterKind, PublicItem,
};

use super::cursor::{
    Cursor, Head, is_curly, is_function, is_implementation, is_kept, is_test, leading,
    leading_words, qualifier,
};
use super::spelling::{angles, plain, spelled, split};

/// A module of a crate.
#[derive(Debug, Default)]
pub(super) struct Module {
    pub(super) parent: Option<usize>,
    /// Conditions under which it is there.
    pub(super) qualifiers: Vec<String>,
    pub(super) declarations: Vec<Declaration>,
    pub(super) imports: Vec<Import>,
    /// Public methods, each with the path of its type.
    pub(super) methods: Vec<(Vec<String>, (String, PublicItem))>,
    pub(super) implementations: Vec<Implementation>,
    pub(super) values: Vec<Value>,
    pub(super) children: Vec<(String, Reach, usize)>,
}

/// What one file or inline module declares.
#[derive(Debug, Default)]
pub(super) struct Parsed {
    pub(super) declarations: Vec<Declaration>,
    pub(super) imports: Vec<Import>,
    pub(super) methods: Vec<(Vec<String>, (String, PublicItem))>,
    pub(super) implementations: Vec<Implementation>,
    pub(super) values: Vec<Value>,
    pub(super) modules: Vec<ChildModule>,
}

/// The value of a constant of a type, if it is written without a call, but for empty collections.
#[derive(Debug)]
pub(super) struct Value {
    /// The path of the type.
    pub(super) of: Vec<String>,
    pub(super) name: String,
    pub(super) text: String,
}

/// `impl Trait for Type`.
#[derive(Debug)]
pub(super) struct Implementation {
    pub(super) qualifiers: Vec<String>,
    /// Parameters of the block itself.
    pub(super) generics: String,
    /// The trait, with what stands in its angle brackets.
    pub(super) of: String,
    pub(super) on: String,
    /// Types that it chooses, by name.
    pub(super) types: Vec<(String, String)>,
}

/// Who can name an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// Every module that can name the module it is in.
    Public,
    /// Some modules of its crate.
    Inner,
    /// Every crate, at the root: a macro with `#[macro_export]`.
    Exported,
}

#[derive(Debug)]
pub(super) struct Declaration {
    pub(super) name: String,
    pub(super) reach: Reach,
    pub(super) item: PublicItem,
    /// Its public fields, its variants, the items of a trait.
    pub(super) members: Vec<(String, PublicItem)>,
    /// Traits that are derived for it, each by its last name.
    pub(super) derives: Vec<String>,
    /// The value of a constant, if it is plain.
    pub(super) literal: Option<String>,
}

/// One name of a `use`.
#[derive(Debug)]
pub(super) struct Import {
    /// The name in this module; `*` for all.
    pub(super) name: String,
    pub(super) path: Vec<String>,
    pub(super) reach: Reach,
    pub(super) qualifiers: Vec<String>,
}

#[derive(Debug)]
pub(super) struct ChildModule {
    pub(super) name: String,
    pub(super) reach: Reach,
    pub(super) qualifiers: Vec<String>,
    /// Another file than its name says.
    pub(super) path: Option<String>,
    /// None if it stands in another file.
    pub(super) inline: Option<Parsed>,
}

pub(super) fn of(path: &str, text: &str) -> Result<Parsed, Unread> {
    let tokens = plain(&tokens::of(path, text)?);
    parsed(&tokens).map_err(|line| Unread {
        path: path.to_owned(),
        why: format!("no item is understood at line {line}"),
    })
}

/// What is declared here, or the line that is not understood. Nesting is bounded by the tokens.
fn parsed(tokens: &[Token]) -> Result<Parsed, u32> {
    let mut parsed = Parsed::default();
    let mut cursor = Cursor { tokens, at: 0 };
    let attributes = cursor.inner_attributes();
    if attributes.iter().any(|it| is_test(it)) {
        return Ok(parsed);
    }
    // What holds for a module holds for everything in it.
    let around: Vec<String> =
        attributes.iter().filter(|it| is_kept(it)).map(|it| qualifier(it)).collect();
    while cursor.at < tokens.len() {
        let line = tokens[cursor.at].line;
        let first = cursor.at;
        item(&mut cursor, &around, &mut parsed).ok_or(line)?;
        if cursor.at == first {
            return Err(line);
        }
    }
    Ok(parsed)
}

/// Reads one item. None if it is not understood.
fn item(cursor: &mut Cursor<'_>, around: &[String], parsed: &mut Parsed) -> Option<()> {
    if cursor.skip_mark(";") {
        return Some(());
    }
    let mut head = cursor.head();
    head.qualifiers = [around, &head.qualifiers].concat();
    let mut own = Parsed::default();
    declared(cursor, &head, &mut own)?;
    if !head.is_test {
        parsed.declarations.extend(own.declarations);
        parsed.imports.extend(own.imports);
        parsed.methods.extend(own.methods);
        parsed.implementations.extend(own.implementations);
        parsed.values.extend(own.values);
        parsed.modules.extend(own.modules);
    }
    Some(())
}

fn declared(cursor: &mut Cursor<'_>, head: &Head, parsed: &mut Parsed) -> Option<()> {
    let start = cursor.at;
    let word = cursor.peek_name().unwrap_or_default();
    let second = cursor.tokens.get(start + 1);
    let is_followed_by_name = second.is_some_and(|it| it.name().is_some());
    match word {
        "use" => {
            cursor.at += 1;
            let tree = cursor.until(|it| it.is_mark(";"));
            cursor.at += 1;
            imports(tree, head, &mut parsed.imports);
            return Some(());
        }
        "mod" => return module(cursor, head, parsed),
        "struct" | "union" if is_followed_by_name => {
            parsed.declarations.push(structure(cursor, head)?);
            return Some(());
        }
        "enum" => {
            parsed.declarations.push(enumeration(cursor, head)?);
            return Some(());
        }
        "type" => {
            cursor.at += 1;
            let (name, item) = type_alias(cursor, &head.qualifiers)?;
            parsed.declarations.push(Declaration::new(name, head.reach, item));
            return Some(());
        }
        "static" => {
            let (name, item, _) = value(cursor, ItemKind::Static, &head.qualifiers)?;
            parsed.declarations.push(Declaration::new(name, head.reach, item));
            return Some(());
        }
        "macro_rules" if second.is_some_and(|it| it.is_mark("!")) => {
            cursor.at += 2;
            let name = cursor.name()?.to_owned();
            let rules = cursor.next()?.inner()?;
            cursor.skip_mark(";");
            if head.is_exported {
                parsed.declarations.push(exported_macro(name, rules, head));
            }
            return Some(());
        }
        "macro" if is_followed_by_name => {
            cursor.at += 1;
            let name = cursor.name()?.to_owned();
            let signature =
                ItemSignature { qualifiers: head.qualifiers.clone(), ..ItemSignature::default() };
            let item = PublicItem { kind: ItemKind::Macro, signature };
            cursor.until(is_curly);
            cursor.at += 1;
            parsed.declarations.push(Declaration::new(name, head.reach, item));
            return Some(());
        }
        _ => {}
    }
    if word == "const" && !is_function(cursor) && !is_implementation(cursor) {
        let (name, item, literal) = value(cursor, ItemKind::Constant, &head.qualifiers)?;
        if name != "_" {
            let declaration = Declaration::new(name, head.reach, item);
            parsed.declarations.push(Declaration { literal, ..declaration });
        }
        return Some(());
    }
    if is_function(cursor) {
        let (name, item) = function(cursor, ItemKind::Function, &head.qualifiers)?;
        parsed.declarations.push(Declaration::new(name, head.reach, item));
        return Some(());
    }
    let words = leading_words(cursor);
    match words.last().copied() {
        Some("trait") => {
            parsed.declarations.push(trait_item(cursor, head)?);
            Some(())
        }
        Some("impl") => implementation(cursor, head, parsed),
        Some("crate") => {
            // `extern crate name as other;`
            let tree = cursor.until(|it| it.is_mark(";"));
            cursor.at += 1;
            let names: Vec<&str> = tree.iter().filter_map(Token::name).collect();
            let name = (*names.last()?).to_owned();
            let path = vec![(*names.get(2)?).to_owned()];
            let qualifiers = head.qualifiers.clone();
            parsed.imports.push(Import { name, path, reach: head.reach, qualifiers });
            Some(())
        }
        Some("extern") => {
            let qualifiers = leading(cursor, is_curly);
            let inner = cursor.group(Bracket::Curly)?;
            foreign(inner, &[head.qualifiers.clone(), qualifiers].concat(), parsed)
        }
        _ => macro_call(cursor, head, parsed),
    }
}

fn module(cursor: &mut Cursor<'_>, head: &Head, parsed: &mut Parsed) -> Option<()> {
    cursor.at += 1;
    let name = cursor.name()?.trim_start_matches("r#").to_owned();
    let (reach, qualifiers, path) = (head.reach, head.qualifiers.clone(), head.path.clone());
    let inline = if cursor.skip_mark(";") {
        None
    } else {
        Some(self::parsed(cursor.group(Bracket::Curly)?).ok()?)
    };
    parsed.modules.push(ChildModule { name, reach, qualifiers, path, inline });
    Some(())
}

fn function(
    cursor: &mut Cursor<'_>,
    kind: ItemKind,
    qualifiers: &[String],
) -> Option<(String, PublicItem)> {
    let words = leading(cursor, |it| it.is_name("fn"));
    cursor.at += 1;
    let name = cursor.name()?.to_owned();
    let generics = spelled(cursor.generics());
    let parameters = parameters(cursor.group(Bracket::Round)?);
    let is_end = |it: &Token| it.is_name("where") || it.is_mark(";") || is_curly(it);
    let result = if cursor.skip_mark("->") { spelled(cursor.until(is_end)) } else { String::new() };
    let bounds = cursor.where_clause();
    cursor.next()?;
    let signature = ItemSignature {
        qualifiers: [qualifiers, &words].concat(),
        generics,
        parameters: Some(parameters),
        result,
        bounds,
    };
    Some((name, PublicItem { kind, signature }))
}

fn parameters(tokens: &[Token]) -> Vec<Parameter> {
    let mut found = Vec::new();
    for part in split(tokens, ",").into_iter().filter(|part| !part.is_empty()) {
        let mut cursor = Cursor { tokens: part, at: 0 };
        cursor.outer_attributes();
        let part = &part[cursor.at..];
        let sides = split(part, ":");
        let before = sides.first().copied().unwrap_or_default();
        let names: Vec<&str> = before.iter().filter_map(Token::name).collect();
        let is_receiver = found.is_empty() && names.last() == Some(&"self");
        let annotation = part.get(before.len() + 1..).map(spelled).unwrap_or_default();
        let (name, kind) = if is_receiver {
            // `mut self` takes the same as `self`; `&mut self` does not.
            let is_by_value = before.first().is_some_and(|it| it.name().is_some());
            let name = if is_by_value { "self".to_owned() } else { spelled(before) };
            (name, ParameterKind::Receiver)
        } else if part.first().is_some_and(|it| it.is_mark("..")) {
            ("...".to_owned(), ParameterKind::Variadic)
        } else {
            // A pattern that takes a value apart has no name for its caller.
            let is_plain = before.iter().all(|it| it.name().is_some());
            let name =
                names.last().filter(|_| is_plain).map_or("_", |it| it.trim_start_matches('_'));
            (if name.is_empty() { "_" } else { name }.to_owned(), ParameterKind::Positional)
        };
        found.push(Parameter { name, kind, annotation, default: DefaultValue::Absent });
    }
    found
}

fn structure(cursor: &mut Cursor<'_>, head: &Head) -> Option<Declaration> {
    let kind = if cursor.name()? == "union" { ItemKind::Union } else { ItemKind::Struct };
    let name = cursor.name()?.to_owned();
    let generics = spelled(cursor.generics());
    let mut bounds = cursor.where_clause();
    let (mut result, mut members) = (String::new(), Vec::new());
    if let Some(fields) = cursor.group(Bracket::Curly) {
        let fields = fields_of(fields)?;
        let is_whole = fields.iter().all(|field| field.reach == Reach::Public);
        (if is_whole { "{}" } else { "{ .. }" }).clone_into(&mut result);
        let public = fields.into_iter().filter(|field| field.reach == Reach::Public);
        members.extend(public.map(|field| (field.name, field.item)));
    } else {
        if let Some(fields) = cursor.group(Bracket::Round) {
            result = format!("({})", tuple_fields(fields).join(", "));
        }
        if bounds.is_empty() {
            bounds = cursor.where_clause();
        }
        cursor.skip_mark(";").then_some(())?;
    }
    let qualifiers = head.qualifiers.clone();
    let signature = ItemSignature { qualifiers, generics, parameters: None, result, bounds };
    let item = PublicItem { kind, signature };
    let derives = head.derives.clone();
    Some(Declaration { members, derives, ..Declaration::new(name, head.reach, item) })
}

/// Named fields, those that are not public too.
fn fields_of(tokens: &[Token]) -> Option<Vec<Declaration>> {
    let mut fields = Vec::new();
    for part in split(tokens, ",").into_iter().filter(|part| !part.is_empty()) {
        let mut cursor = Cursor { tokens: part, at: 0 };
        let Head { qualifiers, reach, is_test, .. } = cursor.head();
        let name = cursor.name()?.to_owned();
        cursor.skip_mark(":").then_some(())?;
        let result = spelled(cursor.until(|it| it.is_mark("=")));
        let signature = ItemSignature { qualifiers, result, ..ItemSignature::default() };
        if !is_test {
            let item = PublicItem { kind: ItemKind::Field, signature };
            fields.push(Declaration::new(name, reach, item));
        }
    }
    Some(fields)
}

/// The types of tuple fields; `_` for one that is not public.
fn tuple_fields(tokens: &[Token]) -> Vec<String> {
    let parts = split(tokens, ",").into_iter().filter(|part| !part.is_empty());
    parts
        .map(|part| {
            let mut cursor = Cursor { tokens: part, at: 0 };
            match cursor.head().reach {
                Reach::Public => format!("pub {}", spelled(&part[cursor.at..])),
                Reach::Inner | Reach::Exported => "_".to_owned(),
            }
        })
        .collect()
}

fn enumeration(cursor: &mut Cursor<'_>, head: &Head) -> Option<Declaration> {
    cursor.at += 1;
    let name = cursor.name()?.to_owned();
    let generics = spelled(cursor.generics());
    let bounds = cursor.where_clause();
    let mut members = Vec::new();
    for part in split(cursor.group(Bracket::Curly)?, ",").into_iter().filter(|it| !it.is_empty()) {
        let mut cursor = Cursor { tokens: part, at: 0 };
        let variant = cursor.head();
        let name = cursor.name()?.to_owned();
        let result = variant_fields(&mut cursor)?;
        let qualifiers = variant.qualifiers;
        let signature = ItemSignature { qualifiers, result, ..ItemSignature::default() };
        if !variant.is_test {
            members.push((name, PublicItem { kind: ItemKind::Variant, signature }));
        }
    }
    let qualifiers = head.qualifiers.clone();
    let signature = ItemSignature { qualifiers, generics, bounds, ..ItemSignature::default() };
    let item = PublicItem { kind: ItemKind::Enum, signature };
    let derives = head.derives.clone();
    Some(Declaration { members, derives, ..Declaration::new(name, head.reach, item) })
}

/// The fields of a variant, as text. All of them are as public as it is.
fn variant_fields(cursor: &mut Cursor<'_>) -> Option<String> {
    if let Some(fields) = cursor.group(Bracket::Round) {
        let parts = split(fields, ",").into_iter().filter(|part| !part.is_empty());
        let types = parts.map(|part| {
            let mut cursor = Cursor { tokens: part, at: 0 };
            cursor.head();
            spelled(&part[cursor.at..])
        });
        return Some(format!("({})", types.collect::<Vec<_>>().join(", ")));
    }
    let Some(fields) = cursor.group(Bracket::Curly) else { return Some(String::new()) };
    let fields = fields_of(fields)?.into_iter();
    let shown = fields.map(|it| format!("{}: {}", it.name, it.item.signature.result));
    Some(format!("{{ {} }}", shown.collect::<Vec<_>>().join(", ")))
}

fn type_alias(cursor: &mut Cursor<'_>, qualifiers: &[String]) -> Option<(String, PublicItem)> {
    let name = cursor.name()?.to_owned();
    let generics = spelled(cursor.generics());
    let is_end = |it: &Token| it.is_mark("=") || it.is_mark(";") || it.is_name("where");
    let above = spelled(cursor.until(is_end));
    let mut bounds = format!("{above} {}", cursor.where_clause()).trim().to_owned();
    let result = if cursor.skip_mark("=") {
        spelled(cursor.until(|it| it.is_mark(";") || it.is_name("where")))
    } else {
        String::new()
    };
    if bounds.is_empty() {
        bounds = cursor.where_clause();
    }
    cursor.skip_mark(";").then_some(())?;
    let qualifiers = qualifiers.to_vec();
    let signature = ItemSignature { qualifiers, generics, parameters: None, result, bounds };
    Some((name, PublicItem { kind: ItemKind::Type, signature }))
}

fn value(
    cursor: &mut Cursor<'_>,
    kind: ItemKind,
    qualifiers: &[String],
) -> Option<(String, PublicItem, Option<String>)> {
    cursor.at += 1;
    let mut qualifiers = qualifiers.to_vec();
    if cursor.skip_name("mut") {
        qualifiers.push("mut".to_owned());
    }
    let name = cursor.name()?.to_owned();
    cursor.skip_mark(":").then_some(())?;
    let result = spelled(cursor.until(|it| it.is_mark("=") || it.is_mark(";")));
    let literal = literal(&cursor.tokens[cursor.at..]);
    cursor.skip_statement();
    let signature = ItemSignature { qualifiers, result, ..ItemSignature::default() };
    Some((name, PublicItem { kind, signature }, literal))
}

/// `= value;`, as far as nothing is computed.
fn literal(tokens: &[Token]) -> Option<String> {
    let end = tokens.iter().position(|it| it.is_mark(";"))?;
    let [is, value @ ..] = &tokens[..end] else { return None };
    let is_plain = |it: &Token| match &it.what {
        What::Number(_) | What::Text(_) | What::Name(_) | What::Group(..) | What::Other(_) => true,
        What::Mark(mark) => matches!(mark.as_str(), "-" | "&" | "::" | ":" | ","),
    };
    let is_short = value.len() <= VALUE_TOKENS_MAX;
    let is_value = is.is_mark("=") && is_short && tokens::all(value).all(is_plain);
    is_value.then(|| spelled(value))
}

fn trait_item(cursor: &mut Cursor<'_>, head: &Head) -> Option<Declaration> {
    let words = leading(cursor, |it| it.is_name("trait"));
    cursor.at += 1;
    let name = cursor.name()?.to_owned();
    let generics = spelled(cursor.generics());
    let is_end = |it: &Token| it.is_name("where") || it.is_mark("=") || is_curly(it);
    let above = spelled(cursor.until(is_end));
    let bounds = format!("{above} {}", cursor.where_clause()).trim().to_owned();
    let mut members = Vec::new();
    let mut result = String::new();
    if cursor.skip_mark("=") {
        result = format!("= {}", spelled(cursor.until(|it| it.is_mark(";"))));
        cursor.at += 1;
    } else {
        let inner = cursor.group(Bracket::Curly)?;
        let mut cursor = Cursor { tokens: inner, at: 0 };
        cursor.inner_attributes();
        while cursor.at < inner.len() {
            let (head, found, _) = associated(&mut cursor)?;
            members.extend(found.filter(|_| !head.is_test));
        }
    }
    let qualifiers = [head.qualifiers.clone(), words].concat();
    let signature = ItemSignature { qualifiers, generics, parameters: None, result, bounds };
    let item = PublicItem { kind: ItemKind::Trait, signature };
    Some(Declaration { members, ..Declaration::new(name, head.reach, item) })
}

/// How an item begins, its name and itself, and the value of a constant that is plain.
type Associated = (Head, Option<(String, PublicItem)>, Option<String>);

/// An item of a trait or of an implementation; none if a macro makes it.
fn associated(cursor: &mut Cursor<'_>) -> Option<Associated> {
    let head = cursor.head();
    if is_function(cursor) {
        let mut method = function(cursor, ItemKind::Method, &head.qualifiers)?;
        let has_body = cursor.tokens.get(cursor.at - 1).is_some_and(is_curly);
        if has_body {
            method.1.signature.qualifiers.push(PROVIDED.to_owned());
        }
        return Some((head, Some(method), None));
    }
    if cursor.peek_name() == Some("default") {
        cursor.at += 1;
    }
    let (found, literal) = match cursor.peek_name() {
        Some("type") => {
            cursor.at += 1;
            (Some(type_alias(cursor, &head.qualifiers)?), None)
        }
        Some("const") => {
            let (name, item, literal) = value(cursor, ItemKind::Constant, &head.qualifiers)?;
            (Some((name, item)), literal)
        }
        _ => {
            skip_macro(cursor)?;
            (None, None)
        }
    };
    Some((head, found, literal))
}

/// Public methods and constants of `impl Type`; of `impl Trait for Type` which types it chooses.
fn implementation(cursor: &mut Cursor<'_>, head: &Head, parsed: &mut Parsed) -> Option<()> {
    leading(cursor, |it| it.is_name("impl"));
    cursor.at += 1;
    let generics = spelled(cursor.generics());
    let of = cursor.until(|it| it.is_name("where") || is_curly(it));
    let clause = cursor.where_clause();
    let inner = cursor.group(Bracket::Curly)?;
    if let [of, on] = split_for(of).as_slice() {
        let types = chosen_types(inner).unwrap_or_default();
        let (of, on) = (spelled(of), spelled(on));
        let qualifiers = head.qualifiers.clone();
        parsed.implementations.push(Implementation { qualifiers, generics, of, on, types });
        return Some(());
    }
    let path: Vec<String> = outside_angles(of).filter_map(Token::name).map(str::to_owned).collect();
    let is_plain = of.first().is_some_and(|it| it.name().is_some() || it.is_mark("::"));
    if !is_plain {
        return Some(());
    }
    // The head says for which of its types a generic type has the method.
    let is_generic = of.iter().any(|it| it.is_mark("<"));
    let around = if is_generic {
        format!("in impl{generics} {} {clause}", spelled(of)).trim().to_owned()
    } else {
        clause
    };
    let mut cursor = Cursor { tokens: inner, at: 0 };
    cursor.inner_attributes();
    while cursor.at < inner.len() {
        let (own, found, literal) = associated(&mut cursor)?;
        let Some((name, mut item)) = found.filter(|_| own.reach == Reach::Public && !own.is_test)
        else {
            continue;
        };
        if let Some(text) = literal {
            parsed.values.push(Value { of: path.clone(), name: name.clone(), text });
        }
        item.signature.qualifiers.retain(|it| it != PROVIDED);
        item.signature.qualifiers.splice(0..0, head.qualifiers.iter().cloned());
        let bounds = format!("{} {around}", item.signature.bounds);
        bounds.trim().clone_into(&mut item.signature.bounds);
        parsed.methods.push((path.clone(), (name, item)));
    }
    Some(())
}

/// What stands before and behind `for`, outside of angle brackets.
fn split_for(tokens: &[Token]) -> Vec<&[Token]> {
    let mut cursor = Cursor { tokens, at: 0 };
    let of = cursor.until(|it| it.is_name("for"));
    if cursor.at == tokens.len() { vec![of] } else { vec![of, &tokens[cursor.at + 1..]] }
}

/// `type Name = Other;` in an implementation.
fn chosen_types(tokens: &[Token]) -> Option<Vec<(String, String)>> {
    let mut cursor = Cursor { tokens, at: 0 };
    cursor.inner_attributes();
    let mut types = Vec::new();
    while cursor.at < tokens.len() {
        let found = associated(&mut cursor)?.1;
        types.extend(
            found
                .filter(|(_, item)| item.kind == ItemKind::Type)
                .map(|(name, item)| (name, item.signature.result)),
        );
    }
    Some(types)
}

/// Functions and statics that another language defines.
fn foreign(tokens: &[Token], qualifiers: &[String], parsed: &mut Parsed) -> Option<()> {
    let mut cursor = Cursor { tokens, at: 0 };
    cursor.inner_attributes();
    while cursor.at < tokens.len() {
        let head = cursor.head();
        let qualifiers = [qualifiers, &head.qualifiers].concat();
        let (name, item) = if is_function(&cursor) {
            function(&mut cursor, ItemKind::Function, &qualifiers)?
        } else if leading_words(&cursor).last() == Some(&"static") {
            leading(&mut cursor, |it| it.is_name("static"));
            let (name, item, _) = value(&mut cursor, ItemKind::Static, &qualifiers)?;
            (name, item)
        } else if cursor.skip_name("type") {
            type_alias(&mut cursor, &qualifiers)?
        } else {
            skip_macro(&mut cursor)?;
            continue;
        };
        parsed.declarations.push(Declaration::new(name, head.reach, item));
    }
    Some(())
}

/// A macro call between items. What it declares with `pub` is known by name only.
fn macro_call(cursor: &mut Cursor<'_>, head: &Head, parsed: &mut Parsed) -> Option<()> {
    let (called, inner) = skip_macro(cursor)?;
    let tokens: Vec<&Token> = tokens::all(inner).collect();
    for (nth, _) in tokens.iter().enumerate().filter(|(_, token)| token.is_name("pub")) {
        let words: Vec<&str> = tokens[nth + 1..].iter().map_while(|it| it.name()).take(4).collect();
        let found = words.iter().zip(words.iter().skip(1)).find_map(|(word, name)| {
            let kind = match *word {
                "fn" => ItemKind::Function,
                "struct" => ItemKind::Struct,
                "enum" => ItemKind::Enum,
                "trait" => ItemKind::Trait,
                "type" => ItemKind::Type,
                "const" if !matches!(*name, "fn" | "unsafe" | "extern") => ItemKind::Constant,
                "static" if *name != "ref" => ItemKind::Static,
                "ref" => ItemKind::Static,
                _ => return None,
            };
            Some(((*name).to_owned(), kind))
        });
        let Some((name, kind)) = found else { continue };
        let mut qualifiers = head.qualifiers.clone();
        qualifiers.push(format!("{called}!"));
        let signature = ItemSignature { qualifiers, ..ItemSignature::default() };
        let item = PublicItem { kind, signature };
        parsed.declarations.push(Declaration::new(name, Reach::Public, item));
    }
    Some(())
}

/// Skips `path::name! { … }`, and says what is called with what.
fn skip_macro<'t>(cursor: &mut Cursor<'t>) -> Option<(String, &'t [Token])> {
    cursor.skip_mark("::");
    let mut called = cursor.name()?.to_owned();
    while cursor.skip_mark("::") {
        cursor.name()?.clone_into(&mut called);
    }
    cursor.skip_mark("!").then_some(())?;
    if cursor.peek_name().is_some() {
        cursor.at += 1;
    }
    let inner = cursor.next()?.inner()?;
    cursor.skip_mark(";");
    Some((called, inner))
}

/// A macro for other crates: the patterns it takes are its signature.
fn exported_macro(name: String, rules: &[Token], head: &Head) -> Declaration {
    let is_arrow = |nth: usize| rules.get(nth + 1).is_some_and(|it| it.is_mark("=>"));
    let patterns = rules.iter().enumerate().filter(|(nth, _)| is_arrow(*nth));
    let patterns: Vec<String> =
        patterns.filter_map(|(_, it)| Some(format!("({})", spelled(it.inner()?)))).collect();
    let qualifiers = head.qualifiers.clone();
    let result = patterns.join(" ");
    let signature = ItemSignature { qualifiers, result, ..ItemSignature::default() };
    let item = PublicItem { kind: ItemKind::Macro, signature };
    Declaration::new(format!("{name}!"), Reach::Exported, item)
}

/// The names of a `use`, each with its whole path.
fn imports(tree: &[Token], head: &Head, found: &mut Vec<Import>) {
    let mut rest: Vec<(Vec<String>, &[Token])> = vec![(Vec::new(), tree)];
    while let Some((mut path, tokens)) = rest.pop() {
        let mut cursor = Cursor { tokens, at: 0 };
        let mut renamed = None;
        let mut is_glob = false;
        while let Some(token) = cursor.next() {
            if token.is_mark("*") {
                is_glob = true;
            } else if let Some(inner) = token.group(Bracket::Curly) {
                let parts = split(inner, ",").into_iter().filter(|part| !part.is_empty());
                rest.extend(parts.map(|part| (path.clone(), part)));
                path.clear();
            } else if token.is_name("as") {
                renamed = cursor.name().map(str::to_owned);
            } else if let Some(name) = token.name() {
                path.push(name.to_owned());
            }
        }
        // `self` in a list is the module before it.
        if path.len() > 1 && path.last().is_some_and(|it| it == "self") {
            path.pop();
        }
        let Some(last) = path.last() else { continue };
        let name = if is_glob { "*".to_owned() } else { renamed.unwrap_or_else(|| last.clone()) };
        if name != "_" {
            let (reach, qualifiers) = (head.reach, head.qualifiers.clone());
            found.push(Import { name, path, reach, qualifiers });
        }
    }
}

impl Declaration {
    fn new(name: String, reach: Reach, item: PublicItem) -> Self {
        Self { name, reach, item, members: Vec::new(), derives: Vec::new(), literal: None }
    }
}

fn outside_angles(tokens: &[Token]) -> impl Iterator<Item = &Token> {
    let mut open = 0;
    tokens.iter().filter(move |token| {
        let is_outside = open == 0;
        open = angles(open, token);
        is_outside
    })
}

const VALUE_TOKENS_MAX: usize = 64;
/// A method of a trait that an implementation need not write.
const PROVIDED: &str = "provided";
