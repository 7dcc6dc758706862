//! Tables that a plugin may offer beyond the contract, found by name and checked when they are asked for.

use abi_stable::StableAbi;

/// Name of [`Tides`].
pub const TIDES: &str = "tides/1";
/// Name under which a plugin offers [`Moon`] although the program means [`Tides`].
pub const MISFIT: &str = "misfit/1";
/// Name whose question panics.
pub const PANIC: &str = "panic/1";

/// An extension with one entry.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug)]
pub struct Tides {
    /// Doubles a number.
    pub double: extern "C" fn(u32) -> u32,
}

/// Something else.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug)]
pub struct Moon {
    /// A number.
    pub phase: u64,
    /// An entry with another signature.
    pub double: extern "C" fn(u64) -> u64,
}
