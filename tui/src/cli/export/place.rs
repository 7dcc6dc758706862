//! The file that an export writes.

use std::path::Path;

use super::super::failure::Failure;
use crate::sys::FileId;
use spytui_engine::{
    export::capture::ExportError,
    io::link::{LinkKind, LinkSpec},
};

/// Refuses to replace a file without `force`.
///
/// # Errors
/// It exists (2).
pub(super) fn is_free(path: &Path, force: bool) -> Result<(), Failure> {
    if !force && path.symlink_metadata().is_ok() { Err(exists(path)) } else { Ok(()) }
}

/// Refuses to replace one of the inputs, under whatever name; `what` is exported.
///
/// # Errors
/// It is one (2).
pub(super) fn is_no_input(path: &Path, inputs: &[LinkSpec], what: &str) -> Result<(), Failure> {
    let Some(out) = FileId::of(path) else { return Ok(()) };
    let is_out = |input: &&LinkSpec| match &input.kind {
        LinkKind::Path(path) => FileId::of(path) == Some(out),
        LinkKind::Stdin => FileId::of_stdin() == Some(out),
        _ => false,
    };
    inputs.iter().find(is_out).map_or(Ok(()), |input| {
        let out = path.display();
        Err(Failure::usage(format!("{out} is the input {input}: the {what} would replace it; choose another name")))
    })
}

fn exists(path: &Path) -> Failure {
    Failure::usage(format!("{} exists already; --force replaces it", path.display()))
}

/// Why an export failed.
pub(super) fn failure(error: &ExportError) -> Failure {
    match error {
        ExportError::Exists(path) => exists(path),
        other => Failure::input(other),
    }
}
