//! The contract between spytui and its decoder plugins.
