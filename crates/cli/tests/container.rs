//! The walls inside a real container, whose host has taken away what stronger ones are made of.
//!
//! `runc` runs it; the gate installs that. What a container may do is written here as engines have it by default: few
//! capabilities, no new privileges, and in the stricter kind no namespaces and no mounts.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail loudly")]

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

#[test]
fn without_namespaces_the_walls_are_weaker_and_that_is_said() {
    if !can_contain() {
        return;
    }
    let (report, exit) = doctor(Engine::Strict, 1000);
    assert_eq!(report["level"], "kernel-restricted", "{report:#}");
    assert_eq!(
        why_not_namespaces(&report),
        "cannot make namespaces: Operation not permitted (os error 1)"
    );
    assert!(report["remedies"][0].as_str().unwrap().contains("in a container"), "{report:#}");
    // No lane takes that by default, so nothing would be run.
    assert_eq!((report["lanes"][0]["holds"].clone(), exit), (json!(false), 20));
    let (report, exit) = doctor(Engine::Strict, 0);
    assert_eq!(report["level"], "kernel-restricted+uid", "{report:#}");
    assert_eq!(
        (report["lanes"][0]["holds"].clone(), report["lanes"][2]["holds"].clone()),
        (json!(true), json!(false))
    );
    assert_eq!(exit, 20, "the strict lane is not served here");
}

#[test]
fn where_the_engine_allows_namespaces_the_walls_are_whole() {
    if !can_contain() {
        return;
    }
    for user in [1000, 0] {
        let (report, exit) = doctor(Engine::Lenient, user);
        assert_eq!(report["level"], "kernel-isolated", "user {user}: {report:#}");
        let lanes = report["lanes"].as_array().unwrap();
        assert!(lanes.iter().all(|lane| lane["holds"] == true), "user {user}: {report:#}");
        // There is no agent inside, so nothing could be built.
        assert_eq!(exit, 20, "user {user}");
        assert_eq!(why_not_namespaces(&report), "");
    }
}

/// How much an engine takes away.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Engine {
    /// Privileges.
    Lenient,
    /// Also namespaces and mounts, for whoever is not privileged.
    Strict,
}

fn can_contain() -> bool {
    let is_root =
        fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0);
    let has_runc = is_root
        && tool("runc").arg("--version").output().is_ok_and(|output| output.status.success());
    assert!(
        has_runc || std::env::var_os("CI").is_none(),
        "the gate runs as root and installs `runc`"
    );
    has_runc
}

fn why_not_namespaces(report: &Value) -> String {
    let tried = report["tried"].as_array().unwrap();
    let tried = tried.iter().find(|tried| tried["mechanism"] == "namespaces").unwrap();
    tried["why"].as_str().unwrap_or_default().to_owned()
}

/// What `sealwright doctor` says inside, and its exit code.
fn doctor(engine: Engine, user: u32) -> (Value, i32) {
    let bundle = tempfile::tempdir().unwrap();
    fs::set_permissions(bundle.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let root = bundle.path().join("rootfs");
    for folder in ["usr", "etc", "tmp", "proc", "dev", "sys", "run", "work", "home"] {
        fs::create_dir_all(root.join(folder)).unwrap();
    }
    fs::set_permissions(root.join("tmp"), fs::Permissions::from_mode(0o1777)).unwrap();
    for folder in ["bin", "sbin", "lib", "lib64"] {
        symlink(Path::new("usr").join(folder), root.join(folder)).unwrap();
    }
    fs::copy(env!("CARGO_BIN_EXE_sealwright"), root.join("work/sealwright")).unwrap();
    fs::write(bundle.path().join("config.json"), configuration(engine, user).to_string()).unwrap();
    let name = format!("sealwright-{}-{user}-{}", std::process::id(), engine == Engine::Strict);
    let mut runc = tool("runc");
    runc.arg("--root")
        .arg(bundle.path().join("state"))
        .arg("run")
        .arg("--bundle")
        .arg(bundle.path())
        .arg(name);
    let output = runc.output().unwrap();
    let complaints = String::from_utf8_lossy(&output.stderr);
    let report = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {complaints}"));
    (report, output.status.code().unwrap())
}

fn configuration(engine: Engine, user: u32) -> Value {
    let capabilities = if user == 0 { CAPABILITIES } else { &[] };
    let bind = |at: &str| json!({"destination": at, "type": "bind", "source": at, "options": ["bind", "ro"]});
    let memory = |at: &str| json!({"destination": at, "type": "tmpfs", "source": "tmpfs"});
    let namespaces = ["pid", "network", "ipc", "uts", "mount"].map(|kind| json!({"type": kind}));
    let refused = match engine {
        Engine::Lenient => json!([]),
        Engine::Strict => json!([
            {"names": NAMESPACES_AND_MOUNTS, "action": "SCMP_ACT_ERRNO", "errnoRet": 1},
            {"names": ["clone3"], "action": "SCMP_ACT_ERRNO", "errnoRet": 38},
            {"names": ["clone"], "action": "SCMP_ACT_ERRNO", "errnoRet": 1, "args": [
                {"index": 0, "value": CLONE_NEWUSER, "valueTwo": CLONE_NEWUSER, "op": "SCMP_CMP_MASKED_EQ"},
            ]},
        ]),
    };
    json!({
        "ociVersion": "1.0.0",
        "process": {
            "user": {"uid": user, "gid": user},
            "args": ["/work/sealwright", "doctor", "--format", "json"],
            "env": ["PATH=/usr/bin:/bin", "HOME=/tmp", "SEALWRIGHT_STATE=/tmp/state"],
            "cwd": "/work",
            "noNewPrivileges": true,
            "capabilities": {"bounding": capabilities, "effective": capabilities, "permitted": capabilities},
        },
        "root": {"path": "rootfs"},
        "mounts": [
            {"destination": "/proc", "type": "proc", "source": "proc"},
            memory("/dev"), memory("/tmp"), memory("/run"), bind("/usr"), bind("/etc"),
        ],
        "linux": {
            "namespaces": namespaces,
            "seccomp": {"defaultAction": "SCMP_ACT_ALLOW", "architectures": ["SCMP_ARCH_X86_64"], "syscalls": refused},
            "maskedPaths": ["/proc/kcore", "/proc/keys", "/proc/timer_list"],
            "readonlyPaths": ["/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"],
        },
    })
}

fn tool(program: &str) -> Command {
    #[expect(
        clippy::disallowed_methods,
        reason = "the container is outside of our walls; they are inside of it"
    )]
    Command::new(program)
}

/// What engines leave to root by default.
const CAPABILITIES: &[&str] = &[
    "CAP_CHOWN",
    "CAP_DAC_OVERRIDE",
    "CAP_FOWNER",
    "CAP_FSETID",
    "CAP_KILL",
    "CAP_NET_BIND_SERVICE",
    "CAP_SETGID",
    "CAP_SETPCAP",
    "CAP_SETUID",
    "CAP_SYS_CHROOT",
];
const NAMESPACES_AND_MOUNTS: &[&str] = &[
    "unshare",
    "setns",
    "mount",
    "umount2",
    "move_mount",
    "open_tree",
    "fsopen",
    "fsconfig",
    "fsmount",
    "fspick",
    "mount_setattr",
    "pivot_root",
];
const CLONE_NEWUSER: u64 = 0x1000_0000;
