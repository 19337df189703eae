//! The leak filter from outside: what is smuggled, what is innocent, and what holds for any output.

mod attempts;
mod encoders;
mod innocent;
mod material;
mod properties;
mod runs;
mod smuggling;
