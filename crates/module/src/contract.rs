//! What a module promises: its contract, the fingerprint of its interface, its versions.
