//! A file of a table, which appears only when complete.

use std::{
    fs::{File, create_dir_all},
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use parquet::{
    basic::Compression,
    errors::ParquetError,
    file::{properties::WriterProperties, writer::SerializedFileWriter},
};
use tempfile::TempPath;

use super::{
    column::{RowGroup, schema},
    schema::TableSchema,
};
use crate::io::{file_error::folder_of, sys::ordinary_permissions};

/// Rows of a row group: few enough that a query leaves out most groups, and that they need little memory.
const MOST_ROWS: usize = 1 << 16;
/// Size of the texts of a row group; fields and texts of a trace are mostly far shorter.
const MOST_TEXT: usize = 16 << 20;

#[derive(Debug)]
pub(super) struct TableFile {
    pub(super) rows: RowGroup,
    out: SerializedFileWriter<File>,
    unfinished: TempPath,
    path: PathBuf,
}

impl TableFile {
    /// Creates the folders of a file, and a hidden one in its place.
    pub(super) fn create(path: &Path, table: &TableSchema) -> io::Result<TableFile> {
        let folder = folder_of(path);
        create_dir_all(folder)?;
        let hidden =
            tempfile::Builder::new().prefix(".spytui-").permissions(ordinary_permissions()).tempfile_in(folder)?;
        let (file, unfinished) = hidden.into_parts();
        let rows = RowGroup::new(table.columns);
        let properties = WriterProperties::builder()
            .set_created_by(concat!("spytui ", env!("CARGO_PKG_VERSION")).to_owned())
            .set_compression(Compression::SNAPPY);
        let properties = Arc::new(rows.properties(properties).build());
        let schema = schema(table.name, table.columns).map_err(failed)?;
        let out = SerializedFileWriter::new(file, schema, properties).map_err(failed)?;
        Ok(TableFile { rows, out, unfinished, path: path.to_owned() })
    }

    /// Writes the row group if it is large enough.
    pub(super) fn look(&mut self) -> io::Result<()> {
        let is_full = self.rows.rows >= MOST_ROWS || self.rows.text_bytes >= MOST_TEXT;
        if is_full { self.rows.write(&mut self.out).map_err(failed) } else { Ok(()) }
    }

    /// Writes what is left, and gives the file its name.
    pub(super) fn finish(mut self) -> io::Result<()> {
        if self.rows.rows > 0 {
            self.rows.write(&mut self.out).map_err(failed)?;
        }
        self.out.finish().map_err(failed)?;
        self.out.inner().sync_all()?;
        self.unfinished.persist(&self.path).map_err(|error| error.error)
    }
}

fn failed(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(cause) => match cause.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(cause) => io::Error::other(cause),
        },
        other => io::Error::other(other),
    }
}
