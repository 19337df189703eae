//! Attempts to advance a task without evidence, or to decide as somebody else.
