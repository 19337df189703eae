//! What people and journals say to a task, bent at random.

use anyhow::Result;
use sealwright_config::Config;
use sealwright_kernel::owner::Header;
use sealwright_kernel::task::escalation::Resolution;
use sealwright_kernel::task::{Event, Input, Task};
use sealwright_kernel::{Lane, Machine as _, scripted};
use sealwright_views as views;
use sealwright_views::task_file::TaskFile;

use crate::prove::Size;
use crate::prove::bent::{self, Kind};
use crate::prove::figures::Figures;

pub(crate) fn prove(size: Size, figures: &mut Figures) -> Result<()> {
    bent::prove(&kinds()?, (20_000, 2_000_000), size, figures)
}

fn kinds() -> Result<Vec<Kind>> {
    let mut task = Task::default();
    let mut events: Vec<Vec<u8>> = Vec::new();
    let mut inputs: Vec<Vec<u8>> = Vec::new();
    let charter = scripted::charter("T-bent", Lane::Factory, Header::default());
    let mut said = Some(scripted::create(charter));
    while let Some(input) = said {
        let decided = task.decide(&input)?;
        decided.iter().for_each(|event| task.evolve(event));
        events.push(serde_json::to_vec(&decided)?);
        inputs.push(serde_json::to_vec(&input)?);
        said = task.owed().first().and_then(scripted::honest);
    }
    let text = TaskFile::draft(
        "# Limits\n\nper tenant\n\n## Criteria\n\n- apart (verify: tests)\n",
        Lane::Strict,
        Header::default(),
    );
    let config = "[project]\nname = \"x\"\nlane = \"quick\"\n[checks.tests]\ncommand = [\"cargo\", \"test\"]\ntimeout_s = 60\n[agents.main]\nkind = \"codex\"\n[budget]\ndollars = 2.50\n";
    let resolutions: Result<Vec<_>, _> =
        scripted::resolutions().iter().map(serde_json::to_vec).collect();
    Ok(vec![
        Kind { name: "task files", samples: vec![text.into_bytes()], read: task_file },
        Kind { name: "STATE.md edits", samples: vec![STATE.as_bytes().to_vec()], read: state },
        Kind { name: "resolutions", samples: resolutions?, read: resolution },
        Kind { name: "sealwright.toml", samples: vec![config.as_bytes().to_vec()], read: toml },
        Kind { name: "journal records", samples: [events, inputs].concat(), read: record },
    ])
}

fn task_file(bytes: &[u8]) -> Result<(), String> {
    match TaskFile::parse(&String::from_utf8_lossy(bytes), Lane::Quick, Header::default()) {
        Ok(file) if file.title.is_empty() => Err("a file without a title was read".to_owned()),
        Ok(_) => Ok(()),
        Err(error) if error.line == 0 || error.hint.is_empty() => Err(format!("{error:?}")),
        Err(_) => Ok(()),
    }
}

fn state(bytes: &[u8]) -> Result<(), String> {
    let found = String::from_utf8_lossy(bytes);
    let views::Edits { notes, ignored } = views::edits(STATE, &found);
    let is_bounded = notes.len() <= views::NOTES_MAX
        && ignored.len() <= views::NOTES_MAX + 2
        && notes.iter().all(|note| note.len() <= views::NOTE_BYTES_MAX);
    let _ = (views::footer_of(&found), views::is_as_rendered(&found));
    if is_bounded {
        Ok(())
    } else {
        Err(format!("{} notes, {} ignored", notes.len(), ignored.len()))
    }
}

fn resolution(bytes: &[u8]) -> Result<(), String> {
    match serde_json::from_slice::<Resolution>(bytes) {
        Ok(resolution) => {
            let _ = resolution.check();
            Ok(())
        }
        Err(error) if error.line() == 0 => Err(format!("no place: {error}")),
        Err(_) => Ok(()),
    }
}

fn toml(bytes: &[u8]) -> Result<(), String> {
    match Config::parse(&String::from_utf8_lossy(bytes)) {
        Ok(_) => Ok(()),
        Err(error) if error.hint().is_none() => Err(format!("no hint: {error}")),
        Err(error) if !error.to_string().starts_with("sealwright.toml:") => {
            Err(format!("no place: {error}"))
        }
        Err(_) => Ok(()),
    }
}

/// Events of a journal that somebody bent, folded; inputs, decided.
fn record(bytes: &[u8]) -> Result<(), String> {
    let mut task = Task::default();
    if let Ok(events) = serde_json::from_slice::<Vec<Event>>(bytes) {
        events.iter().for_each(|event| task.evolve(event));
        std::hint::black_box((task.owed().len(), task.status(), task.question().is_some()));
    }
    if let Ok(input) = serde_json::from_slice::<Input>(bytes)
        && let Ok(events) = task.decide(&input)
    {
        events.iter().for_each(|event| task.evolve(event));
    }
    Ok(())
}

const STATE: &str = "# T-x: limits\n\n- **Phase:** shape\n- **Status:** parked\n- **Blockers:** none\n- **Next step:** freeze\n- **Validation plan:**\n  - tests\n\n## Notes\n\n- Ada: small\n\n<!-- sealwright: seq=4 sha256=0000000000000000000000000000000000000000000000000000000000000000 -->\n";
