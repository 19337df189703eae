//! Which role may call which tool. It is an allow list: an unlisted tool is refused.

use std::sync::Arc;

use sealwright_kernel::Role;

use super::Tool;

/// Of the tools that are there, those that this role has.
pub fn of(role: Role, tools: &[Arc<dyn Tool>]) -> Vec<Arc<dyn Tool>> {
    tools.iter().filter(|tool| has(role, tool.name())).cloned().collect()
}

pub fn has(role: Role, tool: &str) -> bool {
    ALLOWED.iter().any(|(name, roles)| *name == tool && roles.contains(&role))
}

/// A line for each tool. Handing a result in is every role's.
const ALLOWED: &[(&str, &[Role])] = &[
    ("submit_result", &Role::ALL),
    // Roles that change or execute the tree; judges look at evidence instead.
    ("check_workspace", &[Role::Builder, Role::Verifier]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_that_nobody_listed_is_nobodys() {
        for role in Role::ALL {
            assert!(has(role, "submit_result"));
            assert!(!has(role, "delete_everything"));
        }
        let askers: Vec<Role> =
            Role::ALL.into_iter().filter(|role| has(*role, "check_workspace")).collect();
        assert_eq!(askers, [Role::Builder, Role::Verifier]);
    }
}
