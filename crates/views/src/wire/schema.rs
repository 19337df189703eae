//! The JSON Schemas of the wire types, one file per command.
//!
//! Schemas are closed: every member is described and required, and no other is allowed. Only `people` of `verify` is not
//! required.

use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema};
use serde_json::{Value, json};

use super::{
    AgentTrial, AllowReport, BudgetReport, CreatedTask, DecisionsSigned, DemoReport, DoctorReport,
    EvaluateLine, EvidenceRow, GatesLine, GraphRow, HookReport, InboxItem, InitReport, JournalLine,
    KeysLine, LogEntry, LoginReport, PlanReport, Printed, ProjectReport, PullRequestView,
    ReplayedStream, RestoredTree, RunReport, SandboxLine, SpecReport, StatusRow, TaskReport,
    TaskView, VerifyReport, WatchFrame, in_order,
};

/// A file of `docs/schemas`.
pub struct SchemaFile {
    pub name: String,
    pub text: String,
}

/// Every file of `docs/schemas`, by name.
pub fn files() -> Vec<SchemaFile> {
    COMMANDS.iter().map(PrintingCommand::file).collect()
}

/// A command with its root type.
struct PrintingCommand {
    name: &'static str,
    /// What is typed, if it is more than the name.
    usage: &'static str,
    /// What the value is, where one type serves several commands.
    description: Option<&'static str>,
    schema: fn() -> Schema,
}

impl PrintingCommand {
    const fn of<T: Printed + JsonSchema>(name: &'static str) -> Self {
        Self { name, usage: name, description: None, schema: closed::<T> }
    }

    const fn typed(self, usage: &'static str) -> Self {
        Self { usage, ..self }
    }

    /// A command that prints the task as the command leaves it.
    const fn decision(name: &'static str, description: &'static str) -> Self {
        Self { description: Some(description), ..Self::of::<TaskReport>(name) }
    }

    fn file(&self) -> SchemaFile {
        let mut schema = (self.schema)();
        schema.insert("$id".to_owned(), json!(format!("{ID}/{}.json", self.name)));
        schema
            .insert("title".to_owned(), json!(format!("sealwright {} --format json", self.usage)));
        if let Some(description) = self.description {
            schema.insert("description".to_owned(), json!(description));
        }
        let text = format!("{:#}\n", in_order(schema.to_value()));
        SchemaFile { name: format!("{}.json", self.name), text }
    }
}

/// The schema of what is serialized, closed.
fn closed<T: JsonSchema>() -> Schema {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let settings = settings.with_transform(RecursiveTransform(close));
    settings.into_generator().into_root_schema_for::<T>()
}

fn close(schema: &mut Schema) {
    // `uint64` and the like are no formats of JSON Schema.
    schema.remove("format");
    // A doc comment is wrapped in the source, and a type without a text of its own has none.
    match schema.remove("description").as_ref().and_then(Value::as_str) {
        None | Some("") => {}
        Some(text) => {
            schema.insert("description".to_owned(), json!(text.replace('\n', " ")));
        }
    }
    let is_object = schema.get("type").and_then(Value::as_str) == Some("object");
    if is_object && schema.get("properties").is_some() {
        schema.insert("additionalProperties".to_owned(), json!(false));
    }
}

const COMMANDS: &[PrintingCommand] = &[
    PrintingCommand::decision("acknowledge", "The task after the acknowledgement. One value."),
    PrintingCommand::decision("adopt", "The task after its edited text was adopted. One value."),
    PrintingCommand::of::<ProjectReport>("abandon"),
    PrintingCommand::of::<AllowReport>("allow"),
    PrintingCommand::of::<AgentTrial>("agents").typed("agents try"),
    PrintingCommand::decision("approve", "The task after the approval. One value."),
    PrintingCommand::of::<BudgetReport>("budget"),
    PrintingCommand::decision("check", "The task after its files were checked. One value."),
    PrintingCommand::decision("decline", "The task after the refusal. One value."),
    PrintingCommand::decision("answer", "The task after the answer. One value."),
    PrintingCommand::of::<ProjectReport>("continue"),
    PrintingCommand::of::<DemoReport>("demo"),
    PrintingCommand::of::<RunReport>("do"),
    PrintingCommand::of::<DoctorReport>("doctor"),
    PrintingCommand::of::<EvaluateLine>("evaluate"),
    PrintingCommand::of::<EvidenceRow>("evidence"),
    PrintingCommand::of::<GatesLine>("gates").typed("gates …"),
    PrintingCommand::of::<GraphRow>("graph"),
    PrintingCommand::decision("heal", "The task after the cheat was reported. One value."),
    PrintingCommand::of::<HookReport>("hooks"),
    PrintingCommand::of::<InboxItem>("inbox"),
    PrintingCommand::of::<InitReport>("init"),
    PrintingCommand::of::<ProjectReport>("iterate"),
    PrintingCommand::of::<JournalLine>("journal").typed("journal [STREAM]"),
    PrintingCommand::of::<KeysLine>("keys"),
    PrintingCommand::of::<LogEntry>("log"),
    PrintingCommand::of::<LoginReport>("login"),
    PrintingCommand::of::<LoginReport>("logout"),
    PrintingCommand::of::<CreatedTask>("new"),
    PrintingCommand::decision("note", "The task after the note was added. One value."),
    PrintingCommand::of::<PlanReport>("plan"),
    PrintingCommand::of::<PullRequestView>("pr"),
    PrintingCommand::of::<ReplayedStream>("replay"),
    PrintingCommand::decision("resolve", "The task after its halt was resolved. One value."),
    PrintingCommand::decision("cancel", "The task after it was cancelled. One value."),
    PrintingCommand::of::<RestoredTree>("restore"),
    PrintingCommand::of::<ProjectReport>("run"),
    PrintingCommand::of::<SandboxLine>("sandbox").typed("sandbox …"),
    PrintingCommand::of::<TaskView>("show"),
    PrintingCommand::of::<DecisionsSigned>("sign"),
    PrintingCommand::of::<ProjectReport>("stop"),
    PrintingCommand::of::<ProjectReport>("validate"),
    PrintingCommand::of::<SpecReport>("spec").typed("spec check"),
    PrintingCommand::of::<StatusRow>("status"),
    PrintingCommand::of::<VerifyReport>("verify"),
    PrintingCommand::of::<WatchFrame>("watch"),
];
const ID: &str = "https://github.com/sealwright/sealwright/blob/main/docs/schemas";

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;

    #[test]
    fn the_published_schemas_are_those_of_the_types() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schemas");
        let published = std::fs::read_dir(&folder).unwrap();
        let published: BTreeSet<String> =
            published.map(|it| it.unwrap().file_name().to_string_lossy().into_owned()).collect();
        let files = files();
        let generated = files.iter().map(|file| file.name.clone());
        assert_eq!(generated.collect::<BTreeSet<_>>(), published);
        for SchemaFile { name, text } in files {
            let written = std::fs::read_to_string(folder.join(&name)).unwrap();
            assert!(written == text, "`cargo xtask schemas` writes docs/schemas/{name} anew");
        }
    }
}
