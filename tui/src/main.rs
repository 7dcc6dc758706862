//! The `spytui` command.

fn main() {}
