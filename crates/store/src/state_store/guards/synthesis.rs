//! What SUMMARY_ONLY and METADATA_ONLY show of a module, made from its contract.

use bytes::Bytes;
use sealwright_kernel::canonical_json;
use sealwright_kernel::pack::Surface;
use serde_json::{Map, Value, json};

/// The file of `surface`; `None` if the surface is no synthesized one or the contract cannot be read.
pub(super) fn synthesized(surface: Surface, contract: &[u8]) -> Option<Bytes> {
    let contract: Map<String, Value> = serde_json::from_slice(contract).ok()?;
    let mut shown = Map::new();
    let mut take = |name: &str, from: &str| {
        shown.insert(name.to_owned(), contract.get(from).cloned().unwrap_or(Value::Null));
    };
    take("module_id", "module_id");
    take("version", "module_version");
    take("name", "name");
    take("tags", "tags");
    match surface {
        Surface::Metadata => {}
        Surface::Summary => {
            take("purpose", "purpose");
            take("error_cases", "error_cases");
            shown.insert("io_summary".to_owned(), io_summary(&contract));
        }
        Surface::Contract | Surface::Examples | Surface::ShipEvidence => return None,
    }
    // Only shipped modules stand in the store; the code index knows which were superseded.
    shown.insert("status".to_owned(), json!("SHIPPED"));
    canonical_json(&shown).ok().map(Bytes::from)
}

fn io_summary(contract: &Map<String, Value>) -> Value {
    let list = |name: &str, keys: [&str; 2], between: &str| -> Vec<String> {
        let items = contract.get(name).and_then(Value::as_array);
        let line = |item: &Value| {
            let texts = keys.iter().filter_map(|key| item.get(key)?.as_str());
            texts.collect::<Vec<_>>().join(between)
        };
        items.into_iter().flatten().map(line).collect()
    };
    let modes = ["sync", "async"].into_iter();
    let has =
        |mode: &&str| contract.get("modes").is_some_and(|it| it.get(*mode) == Some(&json!(true)));
    json!({
        "inputs": list("inputs", ["name", "type"], ": "),
        "outputs": list("outputs", ["name", "type"], ": "),
        "error_surfaces": list("error_surfaces", ["name", "surface"], ": "),
        "effects": list("effects", ["type", "target"], " "),
        "modes": modes.filter(has).collect::<Vec<_>>(),
    })
}
