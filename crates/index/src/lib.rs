//! The code index: shipped modules, found again by what they do. Append-only; a filter before the ranking.
