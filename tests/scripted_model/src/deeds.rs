//! Maps writing, reading and running to a call of the tool that an agent offers.
//!
//! Agents name the same few tools and their inputs differently. The tables at the end hold both; another name is one
//! more word in them.

use serde_json::{Map, Value, json};

use crate::conversation::list;
use crate::instance::property;
use crate::{Call, Calling, Input, Offer};

pub(crate) fn write(offers: &[Offer], path: &str, text: &str) -> Option<Call> {
    if let Some(offer) = find(offers, WRITERS) {
        return Some(fill(offer, &[(PATH, path), (CONTENT, text), (EDITOR, "")], EDITOR_WRITES));
    }
    // A patch always ends a file with a line feed.
    if let Some(offer) = find(offers, PATCHERS).filter(|_| text.ends_with('\n')) {
        let patch = patch(path, text);
        return Some(match offer.calling {
            Calling::Freeform => called(offer, Input::Text(patch)),
            Calling::Function | Calling::Grouped(_) | Calling::LocalShell => {
                fill(offer, &[(PATCH, patch.as_str())], &[])
            }
        });
    }
    let (path, text) = (quoted(path), quoted(text));
    run(offers, &format!("mkdir -p \"$(dirname {path})\" && printf %s {text} > {path}"))
}

pub(crate) fn read(offers: &[Offer], path: &str) -> Option<Call> {
    match find(offers, READERS) {
        Some(offer) => Some(fill(offer, &[(PATH, path), (EDITOR, "")], EDITOR_READS)),
        None => run(offers, &format!("cat {}", quoted(path))),
    }
}

pub(crate) fn run(offers: &[Offer], command: &str) -> Option<Call> {
    if let Some(offer) = find(offers, SHELLS) {
        return Some(match offer.calling {
            Calling::LocalShell => called(offer, Input::Json(json!({"command": argv(command)}))),
            Calling::Freeform => called(offer, Input::Text(command.to_owned())),
            Calling::Function | Calling::Grouped(_) => fill(offer, &[(COMMAND, command)], &[]),
        });
    }
    let program = format!("text(await tools.exec_command({}));", json!({"cmd": command}));
    by_program(offers, program)
}

/// A call of the first tool whose name contains `name`.
pub(crate) fn call(offers: &[Offer], name: &str, input: &Value) -> Option<Call> {
    if let Some(offer) = offers.iter().find(|offer| offer.name.contains(name)) {
        let input = match (&offer.calling, input) {
            (Calling::Freeform, Value::String(text)) => Input::Text(text.clone()),
            (Calling::Freeform, input) => Input::Text(input.to_string()),
            (Calling::Function | Calling::Grouped(_) | Calling::LocalShell, input) => {
                Input::Json(input.clone())
            }
        };
        return Some(called(offer, input));
    }
    let program = format!(
        "const tool = ALL_TOOLS.find((tool) => tool.name.includes({}));\ntext(await tools[tool.name]({input}));",
        Value::from(name),
    );
    by_program(offers, program)
}

/// A call that submits the final answer, if the agent has a tool for it.
pub(crate) fn hand_in(offers: &[Offer], answer: &Value) -> Option<Call> {
    find(offers, FINAL_ANSWERS).map(|offer| called(offer, Input::Json(answer.clone())))
}

/// Some agents offer one tool that runs a program, which calls all others.
fn by_program(offers: &[Offer], program: String) -> Option<Call> {
    find(offers, PROGRAMS)
        .filter(|offer| offer.calling == Calling::Freeform)
        .map(|offer| called(offer, Input::Text(program)))
}

/// The first offered name, with or without the prefix of an extension.
fn find<'o>(offers: &'o [Offer], names: &[&str]) -> Option<&'o Offer> {
    let exact = names.iter().find_map(|name| offers.iter().find(|offer| offer.name == *name));
    let behind = || {
        names.iter().find_map(|name| {
            offers.iter().find(|offer| {
                offer.name.strip_suffix(name).is_some_and(|before| before.ends_with("__"))
            })
        })
    };
    exact.or_else(behind)
}

/// A call with each value under the first of its names in the tool's schema.
fn fill(offer: &Offer, values: &[(&[&str], &str)], editor_words: &[&str]) -> Call {
    let parts = offer.schema.get("properties").and_then(Value::as_object);
    let mut input = Map::new();
    for (names, value) in values {
        let name = match parts {
            // Without a schema, use the most common name.
            None => names.first(),
            Some(parts) => names.iter().find(|name| parts.contains_key(**name)),
        };
        let Some(name) = name else { continue };
        let part = parts.and_then(|parts| parts.get(*name)).unwrap_or(&Value::Null);
        let value = if *names == EDITOR {
            // Only if the schema lists editor commands.
            let has = |word: &&&str| list(part, "enum").any(|choice| choice == **word);
            let Some(word) = editor_words.iter().find(has) else { continue };
            Value::from(*word)
        } else if part.get("type").is_some_and(|kind| kind == "array") {
            argv(value)
        } else {
            Value::from(*value)
        };
        input.insert((*name).to_owned(), value);
    }
    for name in list(&offer.schema, "required").filter_map(Value::as_str) {
        if !input.contains_key(name) {
            input.insert(name.to_owned(), property(&offer.schema, name));
        }
    }
    called(offer, Input::Json(Value::Object(input)))
}

fn called(offer: &Offer, input: Input) -> Call {
    Call { tool: offer.name.clone(), calling: offer.calling.clone(), input }
}

fn argv(command: &str) -> Value {
    json!(["bash", "-lc", command])
}

fn patch(path: &str, text: &str) -> String {
    let lines: String = text.lines().map(|line| format!("+{line}\n")).collect();
    format!("*** Begin Patch\n*** Add File: {path}\n{lines}*** End Patch\n")
}

/// Quotes a text for a shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

const WRITERS: &[&str] =
    &["Write", "write_file", "write", "create_file", "text_editor", "str_replace_based_edit_tool"];
const PATCHERS: &[&str] = &["apply_patch"];
const READERS: &[&str] =
    &["Read", "read_file", "read", "view", "text_editor", "str_replace_based_edit_tool"];
const SHELLS: &[&str] =
    &["Bash", "run_shell_command", "bash", "shell_command", "exec_command", "shell", "local_shell"];
const PROGRAMS: &[&str] = &["exec"];
const FINAL_ANSWERS: &[&str] = &["StructuredOutput", "structured_output", "final_output"];

const PATH: &[&str] = &["file_path", "filePath", "path", "absolute_path", "abs_path", "filename"];
const CONTENT: &[&str] = &["content", "contents", "file_text", "text"];
const COMMAND: &[&str] = &["command", "cmd", "script"];
const PATCH: &[&str] = &["input", "patch", "patchText"];
const EDITOR: &[&str] = &["command"];
const EDITOR_WRITES: &[&str] = &["write", "create"];
const EDITOR_READS: &[&str] = &["view"];

#[cfg(test)]
mod tests {
    use super::*;

    fn offer(name: &str, schema: Value) -> Offer {
        Offer { name: name.to_owned(), schema, calling: Calling::Function }
    }

    fn freeform(name: &str) -> Offer {
        Offer { name: name.to_owned(), schema: json!({}), calling: Calling::Freeform }
    }

    fn told(call: Option<Call>) -> String {
        call.map_or("nothing".to_owned(), |call| format!("{} {}", call.tool, call.input.to_text()))
    }

    fn strings(names: &[&str]) -> Value {
        let parts: Map<String, Value> =
            names.iter().map(|name| ((*name).to_owned(), json!({"type": "string"}))).collect();
        json!({"type": "object", "properties": parts, "required": names})
    }

    #[test]
    fn a_file_is_written_with_each_agents_own_tool() {
        let editor = json!({
            "properties": {
                "command": {"enum": ["view", "write", "str_replace"]},
                "path": {"type": "string"},
                "file_text": {"type": "string"},
            },
            "required": ["command", "path"],
        });
        for (offered, expected) in [
            (
                offer("Write", strings(&["file_path", "content"])),
                r#"Write {"file_path":"a","content":"b\n"}"#,
            ),
            (
                offer("write", strings(&["filePath", "content"])),
                r#"write {"filePath":"a","content":"b\n"}"#,
            ),
            (
                offer("developer__text_editor", editor),
                r#"developer__text_editor {"path":"a","file_text":"b\n","command":"write"}"#,
            ),
            (
                freeform("apply_patch"),
                "apply_patch *** Begin Patch\n*** Add File: a\n+b\n*** End Patch\n",
            ),
            (
                offer("shell", json!({"properties": {"command": {"type": "array"}}})),
                r#"shell {"command":["bash","-lc","mkdir -p \"$(dirname 'a')\" && printf %s 'b\n' > 'a'"]}"#,
            ),
            (offer("unknown", json!({})), "nothing"),
        ] {
            assert_eq!(told(write(&[offered], "a", "b\n")), expected);
        }
    }

    #[test]
    fn a_patch_is_not_used_for_a_file_without_a_last_line_break() {
        let offers = [freeform("apply_patch"), offer("Bash", strings(&["command"]))];
        let expected =
            r#"Bash {"command":"mkdir -p \"$(dirname 'a')\" && printf %s 'it'\\''s' > 'a'"}"#;
        assert_eq!(told(write(&offers, "a", "it's")), expected);
    }

    #[test]
    fn a_command_is_run_with_each_agents_own_shell() {
        let mut local = offer("local_shell", json!({}));
        local.calling = Calling::LocalShell;
        for (offered, expected) in [
            (
                offer("bash", strings(&["command", "description"])),
                r#"bash {"command":"ls","description":"some description"}"#,
            ),
            (offer("exec_command", strings(&["cmd"])), r#"exec_command {"cmd":"ls"}"#),
            (
                offer("developer__shell", strings(&["command"])),
                r#"developer__shell {"command":"ls"}"#,
            ),
            (local, r#"local_shell {"command":["bash","-lc","ls"]}"#),
            (freeform("exec"), r#"exec text(await tools.exec_command({"cmd":"ls"}));"#),
            (offer("exec", json!({})), "nothing"),
        ] {
            assert_eq!(told(run(&[offered], "ls")), expected);
        }
    }

    #[test]
    fn a_file_is_read_with_a_tool_or_by_the_shell() {
        let reader = offer("read_file", strings(&["absolute_path"]));
        assert_eq!(told(read(&[reader], "a")), r#"read_file {"absolute_path":"a"}"#);
        let shell = offer("shell", strings(&["command"]));
        assert_eq!(told(read(&[shell], "a")), r#"shell {"command":"cat 'a'"}"#);
    }

    #[test]
    fn a_tool_is_found_by_a_part_of_its_name() {
        let offers = [offer("Bash", json!({})), offer("mcp__sealwright__submit_result", json!({}))];
        let input = json!({"verdict": "accept"});
        let expected = r#"mcp__sealwright__submit_result {"verdict":"accept"}"#;
        assert_eq!(told(call(&offers, "submit_result", &input)), expected);
        assert_eq!(told(call(&offers, "search", &input)), "nothing");
        let by_program = told(call(&[freeform("exec")], "submit_result", &input));
        assert!(by_program.contains(r#"tool.name.includes("submit_result")"#), "{by_program}");
    }
}
