//! `sealwright watch` on a terminal of its own: what it draws, and that it leaves the terminal as it was.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail loudly")]
#![expect(clippy::disallowed_methods, reason = "these tests start the binary")]

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};

#[test]
fn q_leaves_the_terminal_as_it_was() {
    let folder = room();
    let mut launcher = Stage::open(folder.path(), 80, 24, &[("NO_COLOR", "1")]);
    launcher.until("limits per tenant");
    launcher.until("started:");
    launcher.press("?");
    launcher.press("xq");
    let drawn = launcher.ended();
    assert!(drawn.ends_with("\u{1b}[?25h") || drawn.contains("\u{1b}[?1049l"), "{drawn:?}");
    // Without colours: no foreground or background is ever set to one.
    for colour in 0..8 {
        assert!(!drawn.contains(&format!("\u{1b}[3{colour}m")), "{drawn:?}");
        assert!(!drawn.contains(&format!("\u{1b}[38;5;{colour}m")), "{drawn:?}");
    }
}

#[test]
fn ctrl_c_leaves_too() {
    let folder = room();
    let mut launcher = Stage::open(folder.path(), 80, 24, &[]);
    launcher.until("limits per tenant");
    launcher.press("\u{3}");
    assert!(launcher.ended().contains("\u{1b}[?1049l"));
}

#[test]
fn whoever_ends_the_process_finds_the_terminal_as_it_was() {
    for signal in [Signal::TERM, Signal::INT, Signal::HUP] {
        let folder = room();
        let mut launcher = Stage::open(folder.path(), 80, 24, &[]);
        launcher.until("limits per tenant");
        let process = Pid::from_child(launcher.child.as_ref().unwrap());
        kill_process(process, signal).unwrap();
        assert!(launcher.ended().contains("\u{1b}[?1049l"), "{signal:?}");
    }
}

#[test]
fn the_smallest_terminal_will_do() {
    for (columns, rows) in [(20, 5), (1, 1), (300, 3)] {
        let folder = room();
        let mut launcher = Stage::open(folder.path(), columns, rows, &[]);
        launcher.until("\u{1b}[?1049h");
        launcher.press("jk\t\t\r?x\u{1b}[6~");
        launcher.press("q");
        assert!(launcher.ended().contains("\u{1b}[?1049l"));
    }
}

#[test]
fn a_folder_that_is_removed_meanwhile_ends_nothing() {
    let folder = room();
    let mut launcher = Stage::open(folder.path(), 80, 24, &[]);
    launcher.until("limits per tenant");
    std::fs::remove_dir_all(folder.path().join(".sealwright")).unwrap();
    launcher.until("removed");
    launcher.press("jjk\t\rq");
    launcher.ended();
}

#[test]
fn a_terminal_that_cannot_move_its_cursor_gets_one_frame() {
    let folder = room();
    let drawn = Stage::open(folder.path(), 80, 24, &[("TERM", "dumb")]).ended();
    assert!(drawn.contains("limits per tenant") && !drawn.contains('\u{1b}'), "{drawn:?}");
}

/// Half a key is waited for by nobody who draws, and a terminal that is gone ends it.
#[test]
fn a_terminal_that_is_gone_ends_it() {
    let folder = room();
    let mut launcher = Stage::open(folder.path(), 80, 24, &[]);
    launcher.until("limits per tenant");
    launcher.press("\u{1b}[");
    let mut child = launcher.gone();
    for _ in 0..PIECES_MAX {
        if child.try_wait().unwrap().is_some() {
            return;
        }
        std::thread::sleep(Duration::from_millis(500));
    }
    child.kill().unwrap();
    panic!("it goes on without a terminal");
}

/// A repository with one task.
fn room() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let config = "[checks.tests]\ncommand = [\"cargo\", \"test\"]\n";
    std::fs::write(folder.path().join("sealwright.toml"), config).unwrap();
    for args in [&["init"][..], &["new", "limits per tenant"]] {
        let done = sealwright(folder.path(), args).env("USER", "ada").output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    }
    folder
}

fn sealwright(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sealwright"));
    command.args(args).current_dir(folder).stdin(Stdio::null());
    command
}

/// A terminal with somebody in front of it.
struct Stage {
    child: Option<Child>,
    hand: File,
    terminal: OwnedFd,
    said: Receiver<Vec<u8>>,
    drawn: String,
    /// Set when nobody looks any more.
    is_gone: Arc<AtomicBool>,
}

impl Stage {
    fn open(folder: &Path, columns: u16, rows: u16, environment: &[(&str, &str)]) -> Self {
        // Whoever is started holds the other end only.
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        let master = openpt(flags).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap().into_string().unwrap();
        let open = || File::options().read(true).write(true).open(&name).unwrap();
        let terminal = open();
        let size = Winsize { ws_col: columns, ws_row: rows, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&terminal, size).unwrap();
        let mut command = sealwright(folder, &["watch"]);
        command.env_remove("NO_COLOR").env("TERM", "xterm").envs(environment.iter().copied());
        command.stdin(open()).stdout(open()).stderr(open());
        let child = command.spawn().unwrap();
        drop(command);
        let hand = File::from(master);
        let mut reader = hand.try_clone().unwrap();
        let (sender, said) = channel();
        let is_gone = Arc::new(AtomicBool::new(false));
        let gone = is_gone.clone();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = reader.read(&mut buffer) {
                let is_heard = sender.send(buffer[..count].to_vec()).is_ok();
                if !is_heard || gone.load(Ordering::Relaxed) {
                    break;
                }
            }
        });
        let child = Some(child);
        Self { child, hand, terminal: terminal.into(), said, drawn: String::new(), is_gone }
    }

    /// Takes the terminal away. The clock is drawn every second, so the last reader soon lets go.
    fn gone(mut self) -> Child {
        self.is_gone.store(true, Ordering::Relaxed);
        self.child.take().unwrap()
    }

    fn press(&mut self, keys: &str) {
        self.hand.write_all(keys.as_bytes()).unwrap();
    }

    /// Waits until this was drawn. Only what changes is drawn, so it has to be new where it stands.
    fn until(&mut self, text: &str) {
        for _ in 0..PIECES_MAX {
            if self.drawn.contains(text) {
                return;
            }
            let Ok(said) = self.said.recv_timeout(LIMIT) else { break };
            self.drawn.push_str(&String::from_utf8_lossy(&said));
        }
        panic!("{text} is not in {:?}", self.drawn);
    }

    /// Waits until it has ended well, and gives everything that was drawn.
    fn ended(mut self) -> String {
        let mut child = self.child.take().unwrap();
        // The terminal itself stays open, so the end of the drawing is no sign.
        for _ in 0..PEEKS_MAX {
            if child.try_wait().unwrap().is_some() {
                break;
            }
            if let Ok(said) = self.said.recv_timeout(PEEK) {
                self.drawn.push_str(&String::from_utf8_lossy(&said));
            }
        }
        // One that does not end is no reason to wait for ever.
        let _ = child.kill();
        let status = child.wait().unwrap();
        // What is written to the terminal after it comes out after everything it has drawn.
        rustix::io::write(&self.terminal, END.as_bytes()).unwrap();
        while !self.drawn.ends_with(END) {
            let said =
                self.said.recv_timeout(LIMIT).expect("the terminal gives back what was written");
            self.drawn.push_str(&String::from_utf8_lossy(&said));
        }
        self.drawn.truncate(self.drawn.len() - END.len());
        assert!(status.success(), "{status}: {:?}", self.drawn);
        let modes = tcgetattr(&self.terminal).unwrap().local_modes;
        assert!(modes.contains(LocalModes::ICANON | LocalModes::ECHO), "it is still raw");
        std::mem::take(&mut self.drawn)
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.kill();
        }
    }
}

const PEEK: Duration = Duration::from_millis(100);
const PEEKS_MAX: usize = 200;
/// No program draws this.
const END: &str = "<the end>";
const LIMIT: Duration = Duration::from_secs(20);
/// The clock is drawn every second, so silence alone ends no waiting.
const PIECES_MAX: usize = 60;
