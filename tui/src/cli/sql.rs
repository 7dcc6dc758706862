//! `spytui sql`: the command that asks DuckDB about tables. No engine is built in.

use std::path::Path;

use spytui_engine::export::tables::schema::TABLES;

use super::{args::SqlArgs, failure::Failure, like_qspy::quoted, output};

/// Prints the command. Errors: there are no tables (3), or no DuckDB (3).
pub(super) fn run(args: &SqlArgs) -> Result<u8, Failure> {
    let folder = &args.folder;
    if !TABLES.iter().all(|table| folder.join(table.name).is_dir()) {
        return Err(Failure::input(format!(
            "{}: no tables; spytui export parquet -O {0} FILE… writes some",
            folder.display()
        )));
    }
    let paths = std::env::var_os("PATH").unwrap_or_default();
    if !std::env::split_paths(&paths).any(|path| path.join("duckdb").is_file()) {
        return Err(Failure::input(
            "duckdb is not in PATH; pip install duckdb-cli, or a package of your system, has it",
        ));
    }
    let views: Vec<String> = TABLES.iter().map(|table| view(folder, table.name)).collect();
    let statements = format!("{} {}", views.join(" "), args.query);
    output::print(&format!("duckdb -c {}\n", quoted(&statements))).map(|()| 0)
}

fn view(folder: &Path, table: &str) -> String {
    let files = folder.join(table).join("*/*/*.parquet").display().to_string().replace('\'', "''");
    let options = "hive_partitioning = true, hive_types_autocast = false";
    format!("CREATE VIEW {table} AS SELECT * FROM read_parquet('{files}', {options});")
}
