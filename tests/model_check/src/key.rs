//! State keys: everything except members that grow without deciding anything.

use sealwright_kernel::Digest;
use serde_json::Value;

/// A digest of `machine` without the members in `left_out`, and of `ghost`.
pub(crate) fn key_without(
    machine: &impl serde::Serialize,
    left_out: &[&str],
    ghost: &impl std::fmt::Debug,
) -> Digest {
    let mut value = serde_json::to_value(machine).unwrap_or(Value::Null);
    strip(&mut value, left_out);
    Digest::of(format!("{value} {ghost:?}").as_bytes())
}

fn strip(value: &mut Value, left_out: &[&str]) {
    match value {
        Value::Object(members) => {
            members.retain(|name, _| !left_out.contains(&name.as_str()));
            members.values_mut().for_each(|member| strip(member, left_out));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| strip(item, left_out)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
