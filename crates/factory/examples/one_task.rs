//! Creates a task in a new repository and runs it with a scripted performer until it asks a person.

use std::sync::Arc;

use sealwright_factory::tasks::{NewTask, Tasks};
use sealwright_host::{Limits, NotPerformed, Recording};
use sealwright_kernel::owner::Header;
use sealwright_kernel::task::{Effect, Freeze, Input, Want};
use sealwright_kernel::{Actor, Lane, scripted};
use sealwright_store::FileJournal;

#[expect(clippy::print_stdout, reason = "an example shows what it did")]
#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).ok_or("name a folder")?;
    let journal = FileJournal::create(std::path::Path::new(&folder).join(".sealwright"))?;
    let new = NewTask {
        said: "limits per tenant".to_owned(),
        lane: Lane::Quick,
        header: Header::default(),
        freeze: Freeze::Asked,
        checks: vec!["tests".to_owned()],
        base: None,
        budget: None,
    };
    let tasks = Tasks::of(&journal);
    let update = tasks.create(&Actor::Human("ada".to_owned()), new).await?;
    let Some(data) = update.task.data() else { return Ok(()) };
    let ended =
        tasks.run(&data.charter.id, Arc::new(Recording::new(answer)), Limits::default()).await?;
    println!("{}: {ended:?}", data.charter.id);
    Ok(())
}

/// Answers every effect except the questions for people.
fn answer(effect: &Effect) -> Result<Input, NotPerformed> {
    match effect {
        Effect::Task { want: Want::Ask { .. }, .. } => Err(NotPerformed::Asked),
        Effect::Task { .. } | Effect::Slice { .. } => {
            scripted::honest(effect).ok_or(NotPerformed::Asked)
        }
    }
}
