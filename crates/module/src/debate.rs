//! How a module version is challenged, revised, adjudicated and shipped.
