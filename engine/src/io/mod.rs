//! All input and output: links, logs and recordings, format files, the operating system.
//!
//! | module | what is in it |
//! |---|---|
//! | [`link`] | transports: serial, tcp, udp, files, pipes |
//! | [`log`] | raw log of a source with its stream events; recording and reading back |
//! | [`format_files`] | finds, reads and watches files with texts of records |
//! | [`packed`] | reads gzip files, names other compressed files |
//! | [`watch`] | notices that files change |
//! | [`text`] | bytes given as text: dumps, tables, base64 |
//! | [`file_error`] | messages for files that can't be read or created; only regular files are read |
//! | `sys` | everything specific to the operating system |

pub mod file_error;
pub mod format_files;
pub mod link;
pub mod log;
pub mod packed;
pub(crate) mod sys;
pub mod text;
pub mod watch;
