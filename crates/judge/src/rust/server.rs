//! The end at the candidate: a process that answers calls, and one before it that starts it afresh.

use std::any::Any;
use std::cell::{RefCell, RefMut};
use std::collections::HashMap;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Child, Command};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use crate::runner::{Running, is_behind_walls};
use crate::shared_files::forget;
use crate::wire::{V, items, receive, send};

type Cell = Rc<RefCell<Option<Box<dyn Any>>>>;

thread_local! {
    static OBJECTS: RefCell<(u64, HashMap<u64, Cell>)> = RefCell::new((0, HashMap::new()));
}

/// Keeps an object for the tests.
pub fn keep<T: 'static>(object: T) -> V {
    OBJECTS.with_borrow_mut(|(last, objects)| {
        *last += 1;
        objects.insert(*last, Rc::new(RefCell::new(Some(Box::new(object)))));
        V::Int(*last as i64)
    })
}

/// The place of an object.
pub struct Kept(Cell);

impl Kept {
    pub fn of(value: V) -> Option<Self> {
        let mut parts = items(value)?;
        let (V::Int(how), V::Int(id)) = (parts.next()?, parts.next()?) else { return None };
        if how == 2 {
            let constant = crate::constant(id as u64)?;
            return Some(Self(Rc::new(RefCell::new(Some(constant)))));
        }
        OBJECTS.with_borrow(|(_, objects)| objects.get(&(id as u64)).cloned()).map(Self)
    }

    pub fn object<T: 'static>(&self) -> Option<RefMut<'_, T>> {
        let cell = self.0.try_borrow_mut().ok()?;
        RefMut::filter_map(cell, |it| it.as_mut()?.downcast_mut()).ok()
    }
}

/// An object that the tests hand over.
pub fn taken<T: 'static>(value: V) -> Option<T> {
    let kept = Kept::of(value)?;
    let object = kept.0.try_borrow_mut().ok()?.take()?;
    object.downcast().ok().map(|it| *it)
}

/// Two of them may be one and the same.
pub fn two<T: 'static, R>(a: V, b: V, with: impl FnOnce(&T, &T) -> R) -> Option<R> {
    let (a, b) = (Kept::of(a)?, Kept::of(b)?);
    if Rc::ptr_eq(&a.0, &b.0) {
        let one = a.object::<T>()?;
        return Some(with(&one, &one));
    }
    let (a, b) = (a.object::<T>()?, b.object::<T>()?);
    Some(with(&a, &b))
}

pub fn main() {
    if std::env::args().nth(1).is_some() {
        serve();
    } else {
        stand_before();
    }
}

fn input() -> std::io::Result<UnixStream> {
    Ok(UnixStream::from(std::io::stdin().as_fd().try_clone_to_owned()?))
}

/// Answers until nobody asks.
fn serve() {
    let Ok(mut stream) = input() else { return };
    std::panic::set_hook(Box::new(|_| {}));
    while let Ok(V::List(question)) = receive(&mut stream) {
        let Ok([_, V::Int(number), arguments]) = <[V; 3]>::try_from(question) else { return };
        let Some(mut arguments) = items(arguments) else { return };
        let answer = catch_unwind(AssertUnwindSafe(|| match number {
            0 => {
                let Some(V::Int(id)) = arguments.next() else { return None };
                let object = OBJECTS.with_borrow_mut(|(_, all)| all.remove(&(id as u64)));
                drop(object);
                Some(V::Null)
            }
            number => crate::answer(number as u64, &mut arguments),
        }));
        let (kind, value) = match answer {
            Ok(Some(value)) => (V::Text("ok".to_owned()), value),
            Ok(None) => failed("the call cannot be made"),
            Err(panic) => {
                let said = panic.downcast_ref::<String>().map(String::as_str);
                let said = said.or_else(|| panic.downcast_ref::<&str>().copied());
                failed(said.unwrap_or("a panic without a text"))
            }
        };
        let frame = [kind, V::Int(0), value, V::List(vec![]), V::List(vec![])];
        if send(&mut stream, &V::List(frame.into())).is_err() {
            return;
        }
    }
}

/// An answer to a question that has none.
pub fn failed(why: &str) -> (V, V) {
    let text = |it: &str| V::Text(it.to_owned());
    let name = V::List(vec![text("builtins"), text("Exception")]);
    let state = V::List(vec![text("dict")]);
    let (kind, args) = (text("panic"), V::List(vec![]));
    (text("raise"), V::List(vec![text("error"), V::Int(0), name, kind, args, text(why), state]))
}

/// Carries questions to a process that is started anew whenever somebody begins.
fn stand_before() {
    let Ok(mut stream) = input() else { return };
    let mut now: Option<Started> = None;
    let mut running = Running::default();
    while let Ok(question) = receive(&mut stream) {
        let whose = match &question {
            V::List(it) if it.len() == 2 => it.last().cloned(),
            _ => None,
        };
        if let Some(whose) = whose {
            // It ends before anybody hears that another has begun.
            now = None;
            running = Running::default();
            if is_behind_walls() {
                forget();
            }
            let begun = [V::Text("ok".to_owned()), V::Int(0), whose, V::List(vec![]), V::List(vec![])];
            if send(&mut stream, &V::List(begun.into())).is_err() {
                break;
            }
            now = Started::with(&stream);
            continue;
        }
        let question = match question {
            V::List(it) if it.first() == Some(&V::Text("run".to_owned())) => {
                let Ok([_, whose, what]) = <[V; 3]>::try_from(it) else { break };
                running.start(&stream, whose, what);
                continue;
            }
            other => other,
        };
        let Some(started) = &mut now else { break };
        // Whoever waits hears that it is gone.
        let _ = send(&mut started.stream, &question);
    }
}

struct Started {
    child: Child,
    stream: UnixStream,
    is_over: Arc<AtomicBool>,
    answers: Option<JoinHandle<()>>,
}

impl Started {
    fn with(stream: &UnixStream) -> Option<Self> {
        let (own, other) = UnixStream::pair().ok()?;
        let mut child = Command::new(std::env::current_exe().ok()?);
        let child = child.arg("now").stdin(OwnedFd::from(other)).spawn().ok()?;
        let (mut from, mut to) = (own.try_clone().ok()?, stream.try_clone().ok()?);
        let is_over = Arc::new(AtomicBool::new(false));
        let is_wanted_no_more = is_over.clone();
        let answers = std::thread::spawn(move || {
            let _ = std::io::copy(&mut from, &mut to);
            let gone = V::List(vec![V::Text("gone".to_owned()), V::Int(0), V::List(vec![]), V::List(vec![])]);
            if !is_wanted_no_more.load(Ordering::SeqCst) {
                let _ = send(&mut to, &gone);
            }
        });
        Some(Self { child, stream: own, is_over, answers: Some(answers) })
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = self.stream.shutdown(std::net::Shutdown::Both);
        let _ = self.answers.take().map(JoinHandle::join);
    }
}
