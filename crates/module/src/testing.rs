//! A realistic contract and plan: a rate limiter per tenant, in three modules of which one is reused.

use alloc::collections::BTreeMap;
use alloc::string::ToString as _;
use alloc::vec::Vec;

use sealwright_kernel::pack::Ref;
use serde_json::{Value, json};

use crate::contract::{MicroModuleContract, ModuleId, ModuleRef};
use crate::plan::{
    CheckedPlan, IndexStatus, IndexedModule, MicroPlan, PlanFacts, ReportId, ReuseSearchReport,
};

/// `contract.json` of the limiter, as a builder writes it.
pub fn contract_json() -> Value {
    json!({
        "module_id": "MM-limiter",
        "module_version": "1.0.0",
        "name": "Tenant rate limiter",
        "purpose": "Decides whether a tenant may make one more call at a given time.",
        "tags": ["rate-limit", "tenant"],
        "inputs": [
            {
                "name": "tenant",
                "type": "&str",
                "constraints": ["1 to 64 bytes of ASCII letters, digits and hyphens"]
            },
            {
                "name": "now_ms",
                "type": "u64",
                "constraints": ["milliseconds since the epoch", "never smaller than in an earlier call"]
            }
        ],
        "outputs": [{
            "name": "decision",
            "type": "Decision",
            "invariants": ["Allow for at most `limit` calls of one tenant in one window"]
        }],
        "error_surfaces": [
            {"name": "BadTenant", "when": "the tenant breaks its constraint", "surface": "variant"},
            {"name": "LedgerFull", "when": "the ledger holds 10000 tenants", "surface": "variant"}
        ],
        "effects": [{
            "type": "WRITE",
            "target": "ledger",
            "description": "counts the call of the tenant in the current window"
        }],
        "modes": {"sync": true, "async": false, "notes": ""},
        "error_cases": ["a tenant of 65 bytes", "a ledger without room for a new tenant"],
        "dependencies": [
            {"ref": "MM-window@^1.0.0", "why": "finds the window of a time"},
            {"ref": "MM-ledger@^1.2", "why": "keeps the counts"}
        ],
        "compatibility": {
            "backward_compatible_with": [],
            "breaking_change_policy": "a breaking change is a new major version"
        },
        "runtime_budgets": {"latency_ms_p95": 0.5, "memory_mb_max": 16},
        "binding": {
            "language": "rust",
            "package": "tenant-limiter",
            "entry_point": "tenant_limiter::decide",
            "signature": "pub fn decide(tenant: &str, now_ms: u64) -> Result<Decision, LimitError>"
        }
    })
}

pub fn contract() -> MicroModuleContract {
    contract_of(&contract_json())
}

/// A contract that reads well, or a panic that says why not.
pub fn contract_of(value: &Value) -> MicroModuleContract {
    match MicroModuleContract::parse(value.to_string().as_bytes()) {
        Ok(contract) => contract,
        Err(problems) => panic!("the contract of a test is refused: {problems}"),
    }
}

/// The contract of a pure module without dependencies.
pub fn window_contract_json() -> Value {
    json!({
        "module_id": "MM-window",
        "module_version": "1.0.0",
        "name": "Fixed window",
        "purpose": "Finds the window that a time is in.",
        "tags": [],
        "inputs": [{"name": "now_ms", "type": "u64", "constraints": []}],
        "outputs": [{
            "name": "window",
            "type": "u64",
            "invariants": ["equal for all times of one minute"]
        }],
        "error_surfaces": [],
        "effects": [],
        "modes": {"sync": true, "async": false, "notes": ""},
        "error_cases": [],
        "dependencies": [],
        "compatibility": {
            "backward_compatible_with": [],
            "breaking_change_policy": "a breaking change is a new major version"
        }
    })
}

/// A plan of three modules: a window, a reused ledger, and the limiter as the facade.
pub fn plan_json() -> Value {
    let module = |contract: Value, depends_on: Value, report: &str, criteria: Value| {
        json!({
            "module_id": contract["module_id"],
            "name": contract["name"],
            "purpose": contract["purpose"],
            "error_cases": contract["error_cases"],
            "depends_on": depends_on,
            "reuse_decision": "CREATE_NEW",
            "reuse_justification": "no shipped module decides this",
            "contract": contract,
            "reuse_report_ref": report,
            "criteria_refs": criteria
        })
    };
    let on = json!(["MM-window@1.0.0", "MM-ledger@1.2.0"]);
    let mut limiter = module(contract_json(), on, "RSR-00000002", json!([0, 1]));
    limiter["facade"] = json!(true);
    json!({
        "micro_plan_id": "MP-1a2b3c4d",
        "parent_task_ref": "T-api-limits-tenant-001@1.0.0",
        "modules": [
            limiter,
            module(window_contract_json(), json!([]), "RSR-00000001", json!([2])),
            {
                "module_id": "MM-ledger",
                "name": "Counting ledger",
                "purpose": "Counts events by key.",
                "io_contract": {
                    "inputs": ["&str: key"],
                    "outputs": ["u64: count (one more than before)"],
                    "error_surfaces": ["the ledger is full: variant Full"],
                    "effects": ["MUTATION ledger: counts the event"],
                    "modes": ["sync"]
                },
                "error_cases": [],
                "depends_on": [],
                "reuse_candidate_refs": ["MM-ledger@1.2.0"],
                "reuse_decision": "REUSE",
                "reuse_justification": "it counts by key already",
                "criteria_refs": []
            }
        ]
    })
}

/// The task, the index and the reports that [`plan_json`] holds against.
pub fn plan_facts() -> PlanFacts {
    let indexed = |name: &str, status| {
        let fingerprint = sealwright_kernel::Digest::of(name.as_bytes());
        (reference(name), IndexedModule { status, fingerprint })
    };
    let report = |module: &str| {
        let value = json!({
            "query": "rate limit window",
            "candidates_considered": [
                {"module_ref": "MM-throttle@2.0.0", "why_rejected": "it knows no tenants"}
            ],
            "conclusion": "CREATE_NEW",
            "justification": "nothing that is shipped does this",
            "module_id": module
        });
        let text = value.to_string();
        ReuseSearchReport::parse(text.as_bytes()).expect("the report of a test reads well")
    };
    let reports = [("RSR-00000001", "MM-window"), ("RSR-00000002", "MM-limiter")];
    let id = |text: &str| text.parse::<ReportId>().expect("eight hex digits");
    PlanFacts {
        task: Ref::new("T-api-limits-tenant-001@1.0.0").expect("a task of a test"),
        criteria: 3,
        modules: BTreeMap::from([
            indexed("MM-ledger@1.2.0", IndexStatus::Shipped),
            indexed("MM-clock@1.0.0", IndexStatus::Shipped),
            indexed("MM-throttle@2.0.0", IndexStatus::Shipped),
            indexed("MM-clock@0.9.0", IndexStatus::Deprecated),
            indexed("MM-clock@0.8.0", IndexStatus::Superseded),
        ]),
        reports: reports.into_iter().map(|(name, module)| (id(name), report(module))).collect(),
        revisions: BTreeMap::new(),
    }
}

pub fn plan() -> MicroPlan {
    match MicroPlan::check(plan_json().to_string().as_bytes(), &plan_facts()) {
        Ok(CheckedPlan { plan, .. }) => plan,
        Err(problems) => panic!("the plan of a test is refused: {problems}"),
    }
}

/// `MM-a@1.0.0` of a test.
pub fn reference(text: &str) -> ModuleRef {
    text.parse().expect("a version of a module")
}

/// `MM-a` of a test, for each of the names.
pub fn ids(names: &[&str]) -> Vec<ModuleId> {
    names.iter().map(|it| it.parse().expect("a module")).collect()
}
