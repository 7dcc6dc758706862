//! Limits of format files. Exceeding one is a fault, and never costs more memory or time.

/// Size of a file in bytes; larger files are refused.
pub const FILE: usize = 4 << 20;

/// Size of all files together, in bytes; further files are refused.
pub const ALL_FILES: usize = 16 << 20;

/// Length of a line after joining, in bytes: an enum may have thousands of texts.
pub const LINE: usize = 256 << 10;

/// Entries of a table: lines of all files, and values of enums.
pub const ENTRIES: usize = 64 << 10;

/// Faults kept per file; the rest are only counted.
pub const FAULTS: usize = 100;

/// Width of a conversion, and precision of an integer.
pub const WIDTH: usize = 512;

/// Precision of text and bytes, and positions of the cursor: the maximum data size.
pub const BYTES: usize = 64 << 10;

pub const CONVERSIONS: usize = 256;

/// Conversions and fields in all templates together.
pub const ALL_CONVERSIONS: usize = 256 << 10;

/// Length of a rendered text in bytes. Longer text is cut and ends in `…`.
pub const TEXT: usize = 1 << 20;

/// Elements and texts per XML file.
pub const XML_NODES: u32 = 256 << 10;

/// Attributes per XML element. Each is compared with all others.
pub const XML_ATTRIBUTES: usize = 256;

/// Namespace declarations per XML file. Nested elements inherit all of them.
pub const XML_NAMESPACES: usize = 64;
