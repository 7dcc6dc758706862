//! What no format file may exceed. More ends in a fault, never in more memory or time.

/// Size of a file, in bytes; a greater one is refused as a whole.
pub const FILE: usize = 4 << 20;

/// Size of all files together, in bytes; files beyond it are refused.
pub const ALL_FILES: usize = 16 << 20;

/// Length of a line, joined lines together, in bytes: an enum may have thousands of texts.
pub const LINE: usize = 256 << 10;

/// Entries of a table: lines of all files, and values of enums.
pub const ENTRIES: usize = 64 << 10;

/// Faults that are kept of a file; the others are only counted.
pub const FAULTS: usize = 100;

/// Width of a conversion, and precision of an integer.
pub const WIDTH: usize = 512;

/// Precision of texts and bytes, and positions of the cursor: the size of the longest data.
pub const BYTES: usize = 64 << 10;

/// Conversions and fields of a template.
pub const CONVERSIONS: usize = 256;

/// Conversions and fields of all templates together.
pub const ALL_CONVERSIONS: usize = 256 << 10;

/// Length of a rendered text, in bytes. It is cut there and ends in `…`.
pub const TEXT: usize = 1 << 20;

/// Elements and texts of an XML file.
pub const XML_NODES: u32 = 256 << 10;

/// Attributes of an XML element. Each is compared with all others.
pub const XML_ATTRIBUTES: usize = 256;

/// Declarations of XML namespaces in a file. Elements inside inherit all of them.
pub const XML_NAMESPACES: usize = 64;
