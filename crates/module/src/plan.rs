//! A micro plan: the modules of a task, in an order in which they can be built.
