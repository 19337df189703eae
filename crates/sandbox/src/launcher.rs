//! The launcher: a process of its own that puts up the walls, goes inside, and starts the command there.
//!
//! The program that hosts a sandbox starts itself again as a launcher, because walls can only be put up by a process
//! of one thread that has nothing else to lose.
//!
//! ```text
//! host ──▶ launcher ──unshare, fork──▶ first inside ──root, walls, fork──▶ command
//!            │                          │ ▲                               │
//!            └── waits                  │ └───────── ended ───────────────┘
//!                                       └── tells the host, and everything inside dies with it
//! ```

mod filter;
mod findings;
mod ownership;
mod privileges;
mod root;
mod rules;
mod translation;
mod trial;

use std::collections::BTreeMap;
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::process::CommandExt as _;
use std::path::Path;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{
    Pid, PidfdFlags, Resource, Rlimit, Signal, WaitOptions, pidfd_open, set_child_subreaper,
    set_parent_process_death_signal, setrlimit, setsid, wait, waitpid,
};
use rustix::thread::UnshareFlags;

use crate::Mechanism;
use crate::channel::{self, Message, Order};
use crate::isolation::Barrier;
use crate::plan::{EGRESS_PORT, Limits, Network};
use crate::sys::{self, Forked};

pub(crate) use findings::namespaces;
pub(crate) use translation::{Translation, has_own_root};
pub(crate) use trial::Trial;

/// The word that makes a program a launcher.
pub(crate) const WORD: &str = "__sealwright-stage";

/// Becomes a launcher if the host asked for one, and then never returns. A program that hosts sandboxes calls it
/// first of all, before it starts a thread or opens a file.
pub fn take_over_if_asked() {
    let mut words = std::env::args_os().skip(1);
    if words.next().is_some_and(|word| word == WORD) {
        let word = words.next().unwrap_or_default();
        leave(match word.to_str() {
            Some("") => enter(),
            Some(TRIAL) => try_walls(&words.next().unwrap_or_default()),
            // Bubblewrap made the namespaces, and the order stands in a file that it was told to keep open, beside
            // what the command is to read.
            Some(order) => enter_inside(order, words.next().as_deref()),
            None => FAILED,
        });
    }
}

/// The word that makes a launcher the command that tries the walls.
pub(crate) const TRIAL: &str = "trial";

fn try_walls(trial: &std::ffi::OsStr) -> i32 {
    let Some(trial) = trial.to_str().and_then(|text| serde_json::from_str(text).ok()) else {
        return FAILED;
    };
    match serde_json::to_writer(io::stdout(), &trial::run(&trial)) {
        Ok(()) => 0,
        Err(_) => FAILED,
    }
}

struct Failure {
    step: String,
    error: io::Error,
}

trait Step<T> {
    fn step(self, name: &str) -> Result<T, Failure>;
}

impl<T, E: Into<io::Error>> Step<T> for Result<T, E> {
    fn step(self, name: &str) -> Result<T, Failure> {
        self.map_err(|error| Failure { step: name.to_owned(), error: error.into() })
    }
}

fn enter() -> i32 {
    let Ok(channel) = take_channel() else { return FAILED };
    report(&channel, enter_with(&channel))
}

fn enter_with(channel: &OwnedFd) -> Result<i32, Failure> {
    // Should the host die, so does everything here.
    set_parent_process_death_signal(Some(Signal::KILL)).step("tie the launcher to its host")?;
    // The umask of the host would close the new root to the user of the run. The command inherits this one.
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o022));
    let (order, input) = channel::receive_order(channel.as_fd()).step("read the order")?;
    if let Some(input) = input {
        // It stands in place of nothing, and is the only thing of the host's that the command holds.
        rustix::stdio::dup2_stdin(&input).step("hand the input on")?;
    }
    if order.walls.has(Barrier::Descriptors) {
        sys::close_all_but(channel.as_fd()).step("close what was left open")?;
    }
    if order.walls.has(Barrier::Cgroup) {
        for group in &order.cgroups {
            std::fs::write(group, "0").step("enter the cgroup")?;
        }
    }
    match &order.mechanism {
        Mechanism::Namespaces => in_namespaces(channel, &order),
        Mechanism::Bubblewrap { program } => in_bubblewrap(channel, &order, program),
        Mechanism::Landlock | Mechanism::Nothing => beside_the_host(channel, &order),
    }
}

/// The first process of new namespaces builds the root and goes in; this one stays to wait for it.
fn in_namespaces(channel: &OwnedFd, order: &Order) -> Result<i32, Failure> {
    let kind = unshare(order)?;
    match sys::fork().step("start the first process inside")? {
        Forked::Parent(first) => {
            let handle = pidfd_open(first, PidfdFlags::empty()).step("hold the first process")?;
            channel::tell(channel.as_fd(), &Message::First, Some(handle.as_fd()));
            drop(handle);
            wait_for(first);
            Ok(0)
        }
        Forked::Child => {
            set_parent_process_death_signal(Some(Signal::KILL))
                .step("tie the inside to the launcher")?;
            let namespaces = namespaces();
            if order.walls.has(Barrier::Root) {
                root::build(order, kind)?;
            }
            inside(channel, order, kind, &namespaces)
        }
    }
}

/// Which privileges the namespaces were made with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// The launcher is root and chooses whom to run as.
    Rootful,
    /// A user namespace, in which the caller has another user id.
    UserNamespace,
}

fn unshare(order: &Order) -> Result<Kind, Failure> {
    let mut flags = UnshareFlags::NEWNS | UnshareFlags::NEWUTS | UnshareFlags::NEWCGROUP;
    for (wall, flag) in [
        (Barrier::Processes, UnshareFlags::NEWPID),
        (Barrier::Network, UnshareFlags::NEWNET),
        (Barrier::Ipc, UnshareFlags::NEWIPC),
    ] {
        if order.walls.has(wall) {
            flags |= flag;
        }
    }
    let user = rustix::process::geteuid();
    if user.is_root() && sys::unshare(flags).is_ok() {
        return Ok(Kind::Rootful);
    }
    if let Some(run_as) = order.run_as.filter(|_| user.is_root()) {
        // Root without the right to it, as in most containers: then the user of the run makes them. Changing the user
        // unties a process from its parent, and closes its own entries in `/proc` to it.
        privileges::become_user(run_as).step("become the user of the run")?;
        set_parent_process_death_signal(Some(Signal::KILL)).step("tie the launcher to its host")?;
        rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::Dumpable)
            .step("become the user of the run")?;
    }
    let (user, group) = (rustix::process::geteuid(), rustix::process::getegid());
    sys::unshare(flags | UnshareFlags::NEWUSER).step("make namespaces")?;
    std::fs::write("/proc/self/setgroups", "deny").step("give groups up")?;
    let map = |file: &str, outside: u32| {
        std::fs::write(file, format!("{INSIDE_ID} {outside} 1")).step("map the user")
    };
    map("/proc/self/uid_map", user.as_raw())?;
    map("/proc/self/gid_map", group.as_raw())?;
    Ok(Kind::UserNamespace)
}

/// Bubblewrap makes the namespaces and the root, and starts this program again inside them.
fn in_bubblewrap(channel: &OwnedFd, order: &Order, program: &Path) -> Result<i32, Failure> {
    let words = crate::bubblewrap::words(order).step("write down the root")?;
    let words = inherited(words)?;
    let again = inherited(serde_json::to_vec(order).step("write the order down")?)?;
    let input = hand_on(rustix::io::dup(rustix::stdio::stdin()).step("hand the input on")?)?;
    rustix::stdio::dup2_stdin(channel).step("hand the channel on")?;
    if let Some(user) = order.run_as {
        privileges::become_user(user).step("become the user of the run")?;
    }
    #[expect(clippy::disallowed_methods, reason = "this is the sandbox")]
    let mut bubblewrap = std::process::Command::new(program);
    let error = bubblewrap
        .env_clear()
        .args(["--args", &words.to_string(), "--", crate::bubblewrap::LAUNCHER_INSIDE, WORD])
        .args([again.to_string(), input.to_string()])
        .exec();
    Err(error).step("start bubblewrap")
}

fn enter_inside(order: &str, input: Option<&std::ffi::OsStr>) -> i32 {
    let Ok(channel) = take_channel() else { return FAILED };
    report(
        &channel,
        (|| {
            let file =
                std::fs::File::open(format!("/proc/self/fd/{order}")).step("find the order")?;
            let order = channel::read_order(file).step("read the order")?;
            if let Some(input) = input.and_then(|number| number.to_str()?.parse().ok()) {
                sys::become_stdin(input).step("hand the input on")?;
            }
            sys::close_all_but(channel.as_fd()).step("close what was left open")?;
            // Bubblewrap's outer process may be gone before the inside is; the host watches the first process.
            let first =
                pidfd_open(Pid::INIT, PidfdFlags::empty()).step("hold the first process")?;
            channel::tell(channel.as_fd(), &Message::First, Some(first.as_fd()));
            drop(first);
            inside(&channel, &order, Kind::UserNamespace, &namespaces())
        })(),
    )
}

/// The root stands, or stood before: the rest of the walls, then the command.
fn inside(
    channel: &OwnedFd,
    order: &Order,
    kind: Kind,
    namespaces: &BTreeMap<String, String>,
) -> Result<i32, Failure> {
    if order.walls.has(Barrier::Network) {
        open_the_way_out(channel, order)?;
    }
    let _ = rustix::system::sethostname(b"sealwright");
    if order.walls.has(Barrier::Privileges) {
        let user = match kind {
            Kind::Rootful => Some(order.run_as.ok_or_else(nobody).step("give privileges up")?),
            Kind::UserNamespace => None,
        };
        privileges::give_up(user).step("give privileges up")?;
    }
    // Changing the user unties a process from its parent.
    set_parent_process_death_signal(Some(Signal::KILL)).step("tie the inside to the launcher")?;
    harden(order)?;
    // No process inside may look into this one, which holds the channel.
    rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable)
        .step("close the first process to others")?;
    match sys::fork().step("start the command")? {
        Forked::Child => {
            if matches!(order.mechanism, Mechanism::Bubblewrap { .. })
                && order.walls.has(Barrier::Landlock)
            {
                // Here this process is not the first, which no process inside can signal. A second layer of rules puts
                // it out of the command's reach.
                rules::restrict(order).step("put Landlock up")?;
            }
            command(channel, order, namespaces)
        }
        Forked::Parent(command) => {
            let status = wait_for(command);
            let leftovers = others_inside();
            channel::tell(channel.as_fd(), &Message::Ended { status, leftovers }, None);
            Ok(0)
        }
    }
}

fn nobody() -> io::Error {
    io::Error::other("there is nobody to run as but root")
}

/// No namespaces: the command is confined alone, and this process stays outside to clear up after it.
fn beside_the_host(channel: &OwnedFd, order: &Order) -> Result<i32, Failure> {
    // What a daemon leaves behind comes to this process, so nothing gets away by forking twice.
    set_child_subreaper(Some(rustix::process::getpid())).step("adopt what is left behind")?;
    match sys::fork().step("start the command")? {
        Forked::Child => {
            set_parent_process_death_signal(Some(Signal::KILL))
                .step("tie the command to the launcher")?;
            if order.mechanism == Mechanism::Landlock {
                if order.walls.has(Barrier::Privileges) {
                    if rustix::process::geteuid().is_root() && order.run_as.is_none() {
                        return Err(nobody()).step("give privileges up");
                    }
                    privileges::give_up(order.run_as).step("give privileges up")?;
                }
                set_parent_process_death_signal(Some(Signal::KILL))
                    .step("tie the command to the launcher")?;
                harden(order)?;
            }
            command(channel, order, &namespaces())
        }
        Forked::Parent(command) => {
            let handle = pidfd_open(command, PidfdFlags::empty()).step("hold the command")?;
            let mut events = [
                PollFd::new(&handle, PollFlags::IN),
                PollFd::new(channel, PollFlags::IN | PollFlags::HUP),
            ];
            // Either it ends by itself, or the host says that it is to end, or the host is gone.
            while let Err(rustix::io::Errno::INTR) = poll(&mut events, None) {}
            let _ = rustix::process::kill_process(command, Signal::KILL);
            let status = wait_for(command);
            let leftovers = clear_up(order);
            channel::tell(channel.as_fd(), &Message::Ended { status, leftovers }, None);
            Ok(0)
        }
    }
}

/// Kills everything that was left to this process, and says how much it was.
fn clear_up(order: &Order) -> u32 {
    if let Some(user) = order.run_as.filter(|_| order.mechanism == Mechanism::Landlock) {
        // No other run has this user, and the kernel kills all of them under one lock.
        match sys::fork() {
            Ok(Forked::Child) => {
                if privileges::become_user(user).is_ok() {
                    sys::kill_all_of_this_user();
                }
                leave(0)
            }
            Ok(Forked::Parent(killer)) => {
                let _ = waitpid(Some(killer), WaitOptions::empty());
            }
            Err(_) => {}
        }
    }
    let mut leftovers = 0;
    for _ in 0..SWEEPS_MAX {
        for child in children() {
            let _ = rustix::process::kill_process(child, Signal::KILL);
        }
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some(_)) => leftovers += 1,
                Ok(None) | Err(rustix::io::Errno::INTR) => break,
                // No child is left.
                Err(_) => return leftovers,
            }
        }
        let _ = poll(&mut [], Some(&rustix::event::Timespec { tv_sec: 0, tv_nsec: 1_000_000 }));
    }
    leftovers
}

fn children() -> Vec<Pid> {
    let own = rustix::process::getpid().as_raw_nonzero();
    std::fs::read_to_string(format!("/proc/{own}/task/{own}/children"))
        .unwrap_or_default()
        .split_whitespace()
        .filter_map(|pid| Pid::from_raw(pid.parse().ok()?))
        .collect()
}

/// How many processes there are inside, but this one and the first. Zero without `/proc`.
fn others_inside() -> u32 {
    let Ok(entries) = std::fs::read_dir("/proc") else { return 0 };
    let own = std::process::id();
    let others = entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok())
        .filter(|pid| *pid != own && *pid != 1);
    u32::try_from(others.count()).unwrap_or(u32::MAX)
}

fn open_the_way_out(channel: &OwnedFd, order: &Order) -> Result<(), Failure> {
    match order.plan.network {
        // Without privileges over it the loopback stays down, and the network is empty all the same.
        Network::Off => {
            let _ = sys::loopback_up();
        }
        Network::Egress => {
            // Bubblewrap has switched it on already, and left us without the right to.
            let _ = sys::loopback_up();
            let listener =
                std::net::TcpListener::bind(("127.0.0.1", EGRESS_PORT)).step("open the way out")?;
            channel::tell(channel.as_fd(), &Message::Listener, Some(listener.as_fd()));
        }
    }
    Ok(())
}

fn harden(order: &Order) -> Result<(), Failure> {
    if order.walls.has(Barrier::NoNewPrivileges) {
        rustix::thread::set_no_new_privs(true).step("refuse new privileges")?;
    }
    if order.walls.has(Barrier::Landlock) {
        rules::restrict(order).step("put Landlock up")?;
    }
    if order.walls.has(Barrier::Seccomp) {
        filter::apply(order).step("put seccomp up")?;
    }
    Ok(())
}

/// The last steps, then the command takes this process over.
fn command(
    channel: &OwnedFd,
    order: &Order,
    namespaces: &BTreeMap<String, String>,
) -> Result<i32, Failure> {
    let plan = &order.plan;
    let translation = Translation::of(order);
    if order.walls.has(Barrier::Session) {
        setsid().step("begin a session")?;
    }
    if order.walls.has(Barrier::Rlimits) {
        limit(&plan.limits).step("set limits")?;
    }
    std::env::set_current_dir(translation.path(&plan.folder)).step("enter the folder")?;
    let found = findings::of(order, namespaces);
    let is_strong = order.mechanism.level(&found) >= order.least;
    channel::tell(channel.as_fd(), &Message::Found(found), None);
    if !is_strong {
        // The host says so; nothing is started.
        return Ok(FAILED);
    }
    let mut words = plan.argv.iter().map(|word| translation.text(word));
    let program =
        words.next().ok_or_else(|| io::Error::other("no program is named")).step("start")?;
    #[expect(clippy::disallowed_methods, reason = "this is the sandbox")]
    let mut command = std::process::Command::new(program);
    if order.walls.has(Barrier::Environment) {
        command.env_clear();
    }
    for (name, value) in &plan.environment {
        command.env(name, translation.text(value));
    }
    Err(command.args(words).exec()).step("start the command")
}

fn limit(limits: &Limits) -> io::Result<()> {
    for (resource, most) in [
        (Resource::Core, 0),
        (Resource::Fsize, limits.file_bytes),
        (Resource::Nofile, limits.open_files_max),
        (Resource::Memlock, 8 << 20),
        (Resource::Nproc, limits.processes_max),
        (Resource::Cpu, limits.cpu_s),
    ] {
        // The host may be held to less already.
        let most = most.min(rustix::process::getrlimit(resource).maximum.unwrap_or(u64::MAX));
        setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) })?;
    }
    Ok(())
}

/// Reaps until `awaited` has ended, and says how.
fn wait_for(awaited: Pid) -> i32 {
    loop {
        match wait(WaitOptions::empty()) {
            Ok(Some((pid, status))) if pid == awaited => return status.as_raw(),
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => return LOST,
        }
    }
}

/// The channel comes as standard input; from then on standard input is empty.
fn take_channel() -> io::Result<OwnedFd> {
    let channel = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3)?;
    let nothing = std::fs::File::open("/dev/null")?;
    rustix::stdio::dup2_stdin(&nothing)?;
    Ok(channel)
}

/// A file in memory that the next program inherits, by its number.
fn inherited(content: Vec<u8>) -> Result<i32, Failure> {
    use std::io::Seek as _;
    let mut file = channel::memory_file(&content).step("write into memory")?;
    file.rewind().step("write into memory")?;
    hand_on(file.into())
}

/// Lets the next program inherit a descriptor, by its number.
fn hand_on(descriptor: OwnedFd) -> Result<i32, Failure> {
    use std::os::fd::IntoRawFd as _;
    rustix::io::fcntl_setfd(&descriptor, rustix::io::FdFlags::empty()).step("hand a file on")?;
    Ok(descriptor.into_raw_fd())
}

fn report(channel: &OwnedFd, outcome: Result<i32, Failure>) -> i32 {
    match outcome {
        Ok(code) => code,
        Err(Failure { step, error }) => {
            let why = error.to_string();
            channel::tell(channel.as_fd(), &Message::Failed { step, why }, None);
            FAILED
        }
    }
}

fn leave(code: i32) -> ! {
    #[expect(clippy::disallowed_methods, reason = "the launcher is a process of its own")]
    std::process::exit(code)
}

/// Whom a run believes to be, where the kernel lets us choose.
const INSIDE_ID: u32 = 1000;
/// How often leftovers are looked for before it is given up; each look takes about a millisecond.
const SWEEPS_MAX: u32 = 5000;
/// The launcher could not do its work.
const FAILED: i32 = 125;
/// The kernel lost the process: as if it had been killed.
const LOST: i32 = 9;
