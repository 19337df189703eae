//! A run: one sandboxed command, watched until it and all its processes have ended.
//!
//! What is told of the end comes over a channel the command never holds. Output is read to its end and kept up to
//! a bound, so that nothing blocks on a full pipe.

use std::fs::File;
use std::io::{self, Read as _};
use std::net::TcpListener;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use sealwright_kernel::{Confinement, ConfinementFact, Level};

use crate::channel::{self, Message, Order};
use crate::clock::{now, timespec};
use crate::growth::Growth;
use crate::isolation::{Barrier, Isolation};
use crate::launcher;
use crate::plan::{Network, Plan};
use crate::readable;
use crate::{Cancel, Mechanism, SandboxError, SandboxSlot};

pub struct Terms<'t> {
    pub mechanism: Mechanism,
    pub walls: Isolation,
    /// How strong they must be; weaker, and nothing is run.
    pub least: Level,
    pub cancel: Option<&'t Cancel>,
    /// Takes the listener of the way out, for a plan that has one.
    pub way_out: Option<Box<dyn FnOnce(TcpListener) + 't>>,
    /// What the command reads; without it, nothing.
    pub input: Option<OwnedFd>,
    /// Hears what the command says, as it says it, whether it is kept or not. A listener that takes its time holds
    /// the command up.
    pub listener: Option<Listener<'t>>,
}

pub type Listener<'t> = Box<dyn FnMut(&[u8]) + 't>;

#[derive(Debug)]
pub struct RunOutcome {
    /// What ran, word by word.
    pub argv: Vec<String>,
    pub ended: Ended,
    pub stdout: Captured,
    pub stderr: Captured,
    /// How many processes it had left behind; they are dead.
    pub leftovers: u32,
    pub wall: Duration,
    pub confinement: Confinement,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    Exited(i32),
    Signalled(i32),
    TimedOut,
    Cancelled,
    /// It wrote more than it may.
    OutOfRoom,
    /// The kernel ended everything at once, most often for want of memory.
    Vanished,
}

/// What is kept of an output.
#[derive(Debug, Default)]
pub struct Captured {
    /// The first of it.
    pub kept: Vec<u8>,
    /// How many bytes were read and dropped.
    pub dropped: u64,
}

impl Terms<'_> {
    /// All walls, of this mechanism, and no way out.
    pub fn new(mechanism: Mechanism, least: Level) -> Self {
        Self {
            mechanism,
            walls: Isolation::all(),
            least,
            cancel: None,
            way_out: None,
            input: None,
            listener: None,
        }
    }
}

impl SandboxSlot {
    /// Runs a plan here and waits for its end. The calling thread must not be one that ends before the run does.
    pub fn run(&self, plan: &Plan, terms: Terms<'_>) -> Result<RunOutcome, SandboxError> {
        let bounds = self.cgroups().limit(&plan.limits);
        let way_out = self.way_out(plan, &terms).map_err(SandboxError::slot)?;
        let mut plan = plan.clone();
        if plan.network == Network::Egress {
            let port = way_out.as_ref().map_or(crate::plan::EGRESS_PORT, |(_, port)| *port);
            let address = format!("http://127.0.0.1:{port}");
            for name in PROXY_VARIABLES {
                plan.environment.insert((*name).to_owned(), address.clone());
            }
        }
        let order = Order {
            plan,
            mechanism: terms.mechanism.clone(),
            walls: terms.walls.clone(),
            folder: self.folder().to_owned(),
            canary: self.canary().to_owned(),
            run_as: self.run_as(),
            cgroups: self.cgroups().entrances(),
            way_out: way_out.as_ref().map(|(_, port)| *port),
            least: terms.least,
            namespaces: launcher::namespaces(),
        };
        self.prepare(&order).map_err(SandboxError::slot)?;
        let mut watch = Watch::start(self, &order, terms.input)
            .map_err(|source| SandboxError::Start { source })?;
        let mut take_listener = terms.way_out;
        if let Some((listener, _)) = way_out
            && let Some(take) = take_listener.take()
        {
            take(listener);
        }
        watch
            .until_the_end(&order, terms.cancel, take_listener, terms.listener)
            .map_err(|source| SandboxError::Watch { source })?;
        watch.conclude(&order, bounds)
    }

    /// Without a network of its own a run gets a port of the host's loopback.
    fn way_out(&self, plan: &Plan, terms: &Terms<'_>) -> io::Result<Option<(TcpListener, u16)>> {
        if plan.network == Network::Off || terms.mechanism.has_root() {
            return Ok(None);
        }
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let port = listener.local_addr()?.port();
        Ok(Some((listener, port)))
    }

    /// Scratch on disk, for mechanisms that cannot have it in memory.
    fn prepare(&self, order: &Order) -> io::Result<()> {
        let scratch = self.folder().join("scratch");
        crate::slot::remove(&scratch)?;
        if launcher::has_own_root(order) {
            // The launcher may have changed to a user who cannot make them.
            for name in ["root", "changes"] {
                std::fs::DirBuilder::new().recursive(true).create(self.folder().join(name))?;
            }
            return Ok(());
        }
        readable::make_folder(&scratch)?;
        for number in 0..order.plan.scratch.len() {
            let folder = scratch.join(number.to_string());
            readable::make_folder(&folder)?;
            self.give(&folder)?;
        }
        Ok(())
    }
}

struct Watch {
    launcher: Child,
    launcher_handle: Option<OwnedFd>,
    channel: Option<OwnedFd>,
    stdout: Stream,
    stderr: Stream,
    /// The first process inside; when it is gone, so is everything.
    first: Option<OwnedFd>,
    began: Instant,
    found: Vec<ConfinementFact>,
    failed: Option<(String, String)>,
    status: Option<(ExitStatus, u32)>,
    cut: Option<Ended>,
}

struct Stream {
    pipe: Option<File>,
    captured: Captured,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Spot {
    Stdout,
    Stderr,
    Channel,
    Stage,
    First,
    Cancel,
}

type WayOut<'t> = Box<dyn FnOnce(TcpListener) + 't>;

impl Watch {
    fn start(slot: &SandboxSlot, order: &Order, input: Option<OwnedFd>) -> io::Result<Self> {
        let (ours, theirs) = channel::pair()?;
        channel::send_order(ours.as_fd(), order, input.as_ref().map(AsFd::as_fd))?;
        // The other end of it is closed when the command closes it.
        drop(input);
        #[expect(
            clippy::disallowed_methods,
            reason = "only the sandbox starts processes, and this is it"
        )]
        let mut command = Command::new(slot.launcher());
        command
            .arg(launcher::WORD)
            .stdin(Stdio::from(theirs))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        if order.walls.has(Barrier::Environment) {
            command.env_clear();
        }
        let began = now();
        let mut launcher = command.spawn()?;
        let launcher_handle = pidfd_open(Pid::from_child(&launcher), PidfdFlags::empty())?;
        let stdout = Stream::new(launcher.stdout.take().map(OwnedFd::from))?;
        let stderr = Stream::new(launcher.stderr.take().map(OwnedFd::from))?;
        Ok(Self {
            launcher,
            launcher_handle: Some(launcher_handle),
            channel: Some(ours),
            stdout,
            stderr,
            first: None,
            began,
            found: Vec::new(),
            failed: None,
            status: None,
            cut: None,
        })
    }

    /// Watches until everything is gone, and cuts the run short when it must be.
    fn until_the_end(
        &mut self,
        order: &Order,
        cancel: Option<&Cancel>,
        mut way_out: Option<WayOut<'_>>,
        mut listener: Option<Listener<'_>>,
    ) -> io::Result<()> {
        let limits = &order.plan.limits;
        let deadline = self.began + Duration::from_millis(limits.wall_ms);
        let keep = usize::try_from(limits.output_bytes).unwrap_or(usize::MAX);
        let mut until = deadline;
        let mut is_last_call = false;
        let mut growth = Growth::begin(&order.plan, now());
        loop {
            if self.is_over() {
                if self.stdout.pipe.is_none() && self.stderr.pipe.is_none() {
                    return Ok(());
                }
                if !is_last_call {
                    // A process outside may hold the other end of a pipe; that is not waited for.
                    is_last_call = true;
                    until = now() + LAST_WORDS;
                }
            }
            let look = growth.next().filter(|_| self.cut.is_none() && !self.is_over());
            let wake = look.map_or(until, |look| look.min(until));
            for spot in self.wait(cancel.filter(|_| self.cut.is_none()), wake)? {
                match spot {
                    Spot::Stdout => self.stdout.read(keep, listener.as_mut()),
                    Spot::Stderr => self.stderr.read(keep, None),
                    Spot::Channel => self.hear(&mut way_out)?,
                    Spot::Stage => {
                        self.hear_the_rest(&mut way_out)?;
                        self.launcher.wait()?;
                        self.launcher_handle = None;
                    }
                    Spot::First => self.first = None,
                    Spot::Cancel => {
                        until = self.cut_short(order, Ended::Cancelled);
                    }
                }
            }
            if look.is_some_and(|look| now() >= look) && growth.is_too_much(limits, now) {
                until = self.cut_short(order, Ended::OutOfRoom);
            }
            if now() >= until {
                if is_last_call {
                    return Ok(());
                }
                until = match self.cut {
                    None => self.cut_short(order, Ended::TimedOut),
                    Some(_) => self.kill(),
                };
            }
        }
    }

    fn is_over(&self) -> bool {
        self.launcher_handle.is_none() && self.first.is_none()
    }

    /// Waits until something happens or it is late.
    fn wait(&self, cancel: Option<&Cancel>, until: Instant) -> io::Result<Vec<Spot>> {
        let spots = [
            (Spot::Stdout, self.stdout.pipe.as_ref().map(AsFd::as_fd)),
            (Spot::Stderr, self.stderr.pipe.as_ref().map(AsFd::as_fd)),
            (Spot::Channel, self.channel.as_ref().map(AsFd::as_fd)),
            (Spot::Stage, self.launcher_handle.as_ref().map(AsFd::as_fd)),
            (Spot::First, self.first.as_ref().map(AsFd::as_fd)),
            (Spot::Cancel, cancel.map(Cancel::as_fd)),
        ];
        let watched: Vec<_> = spots.iter().filter_map(|(spot, fd)| Some((*spot, (*fd)?))).collect();
        let mut events: Vec<_> =
            watched.iter().map(|(_, fd)| PollFd::from_borrowed_fd(*fd, PollFlags::IN)).collect();
        let left = timespec(until.saturating_duration_since(now()));
        match poll(&mut events, Some(&left)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let happened = watched.iter().zip(&events).filter(|(_, event)| !event.revents().is_empty());
        Ok(happened.map(|((spot, _), _)| *spot).collect())
    }

    fn hear(&mut self, way_out: &mut Option<WayOut<'_>>) -> io::Result<()> {
        let Some(channel) = &self.channel else { return Ok(()) };
        match channel::hear::<Message>(channel.as_fd())? {
            None => self.channel = None,
            Some((Message::First, handle)) => self.first = handle,
            Some((Message::Listener, listener)) => {
                if let (Some(listener), Some(give)) = (listener, way_out.take()) {
                    give(TcpListener::from(listener));
                }
            }
            Some((Message::Found(found), _)) => self.found = found,
            Some((Message::Failed { step, why }, _)) => self.failed = Some((step, why)),
            Some((Message::Ended { status, leftovers }, _)) => {
                self.status = Some((ExitStatus::from_raw(status), leftovers));
            }
        }
        Ok(())
    }

    /// What was said before the launcher ended, also what has not been heard yet.
    fn hear_the_rest(&mut self, way_out: &mut Option<WayOut<'_>>) -> io::Result<()> {
        while let Some(channel) = &self.channel {
            let mut event = [PollFd::new(channel, PollFlags::IN)];
            if poll(&mut event, Some(&timespec(Duration::ZERO)))? == 0 {
                break;
            }
            self.hear(way_out)?;
        }
        Ok(())
    }

    /// Ends the run, and says until when that is waited for.
    fn cut_short(&mut self, order: &Order, why: Ended) -> Instant {
        self.cut = Some(why);
        match order.mechanism {
            Mechanism::Namespaces | Mechanism::Bubblewrap { .. } => self.kill(),
            // The launcher clears up after the command, and it is told to by the end of the channel.
            Mechanism::Landlock | Mechanism::Nothing => {
                if let Some(channel) = &self.channel {
                    let _ = rustix::net::shutdown(channel, rustix::net::Shutdown::Write);
                }
                now() + PATIENCE
            }
        }
    }

    fn kill(&mut self) -> Instant {
        if let Some(first) = &self.first {
            let _ = pidfd_send_signal(first, Signal::KILL);
        }
        if let Some(launcher) = &self.launcher_handle {
            let _ = pidfd_send_signal(launcher, Signal::KILL);
        }
        now() + PATIENCE
    }

    fn conclude(
        mut self,
        order: &Order,
        bounds: Vec<ConfinementFact>,
    ) -> Result<RunOutcome, SandboxError> {
        if let Some((step, why)) = self.failed.take() {
            return Err(SandboxError::Isolation { step, why });
        }
        let mut facts = std::mem::take(&mut self.found);
        let level = order.mechanism.level(&facts);
        if level < order.least {
            return Err(SandboxError::TooWeak { found: level, least: order.least });
        }
        facts.extend(bounds);
        let (ended, leftovers) = match (self.cut, self.status) {
            (Some(cut), status) => (cut, status.map_or(0, |(_, leftovers)| leftovers)),
            (None, Some((status, leftovers))) => (Ended::from(status), leftovers),
            (None, None) => (Ended::Vanished, 0),
        };
        let confinement = Confinement {
            level,
            mechanism: order.mechanism.name().to_owned(),
            facts,
            plan: order.plan.digest(),
        };
        Ok(RunOutcome {
            argv: order.plan.argv.clone(),
            ended,
            stdout: std::mem::take(&mut self.stdout.captured),
            stderr: std::mem::take(&mut self.stderr.captured),
            leftovers,
            wall: now() - self.began,
            confinement,
        })
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        // Processes are left only if watching failed.
        self.kill();
        let _ = self.launcher.wait();
    }
}

impl Stream {
    fn new(pipe: Option<OwnedFd>) -> io::Result<Self> {
        if let Some(pipe) = &pipe {
            rustix::io::ioctl_fionbio(pipe, true)?;
        }
        Ok(Self { pipe: pipe.map(File::from), captured: Captured::default() })
    }

    /// Reads what there is, keeps what fits, and drops the rest.
    fn read(&mut self, keep: usize, listener: Option<&mut Listener<'_>>) {
        let mut piece = [0; 64 << 10];
        let Some(pipe) = &mut self.pipe else { return };
        match pipe.read(&mut piece) {
            Ok(0) => self.pipe = None,
            Ok(read) => {
                if let Some(listener) = listener {
                    listener(&piece[..read]);
                }
                let room = keep.saturating_sub(self.captured.kept.len()).min(read);
                self.captured.kept.extend_from_slice(&piece[..room]);
                self.captured.dropped += (read - room) as u64;
            }
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted
                ) => {}
            Err(_) => self.pipe = None,
        }
    }
}

impl From<ExitStatus> for Ended {
    fn from(status: ExitStatus) -> Self {
        match (status.code(), status.signal()) {
            (Some(code), _) => Self::Exited(code),
            (None, Some(signal)) => Self::Signalled(signal),
            (None, None) => Self::Vanished,
        }
    }
}

/// How long output is waited for once everything is gone.
const LAST_WORDS: Duration = Duration::from_millis(200);
/// How long something that was killed may take to go.
const PATIENCE: Duration = Duration::from_secs(5);
/// What programs look at to find a proxy, and our own name for it.
const PROXY_VARIABLES: &[&str] =
    &["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "SEALWRIGHT_EGRESS"];
