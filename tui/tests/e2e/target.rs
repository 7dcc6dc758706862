//! `spytui-target`, the demo of `firmware/` as a program: built by the test run with the system's C compiler.

#![allow(clippy::print_stderr)]

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

/// Folders of the C files, and the files of the program.
const FOLDERS: [&str; 3] = ["src", "demo/emitters", "demo"];
const PROGRAM: [&str; 5] = ["main.c", "link.c", "options.c", "test_target.c", "objects_made_up.c"];

/// The program, running.
pub struct Target {
    child: Child,
    /// Where it waits for a client: `127.0.0.1:4242` or `/dev/pts/3`.
    pub place: String,
}

impl Target {
    /// Starts it on `tcp:127.0.0.1:0` or `pty`; `None` without a C compiler.
    pub fn start(proto: &str, link: &str) -> Option<Target> {
        static BUILT: OnceLock<Option<PathBuf>> = OnceLock::new();
        let program = BUILT.get_or_init(build).as_ref()?;
        let mut command = Command::new(program);
        command.args(["--proto", proto, "--link", link]).stdout(Stdio::piped()).stdin(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut place = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut place).unwrap();
        Some(Target { child, place: place.trim().to_owned() })
    }

    /// Ends it, and its link.
    pub fn end(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        self.end();
    }
}

/// Like `firmware/demo/CMakeLists.txt`.
fn build() -> Option<PathBuf> {
    let firmware = Path::new(env!("CARGO_MANIFEST_DIR")).join("../firmware");
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("spytui-target-{}", std::process::id()));
    let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
    let mut command = Command::new(compiler);
    command.args(["-std=c11", "-DSTY_QS_OBJ_SIZE=4", "-DSTY_TBAND_NAMES=512", "-o"]);
    command.arg(&program).current_dir(&firmware);
    command.args(["-Iinclude", "-Idemo/emitters/include", "-Idemo", "-Isrc"]);
    for folder in FOLDERS {
        let files = std::fs::read_dir(firmware.join(folder)).unwrap().map(|entry| entry.unwrap().path());
        command.args(files.filter(|path| path.extension().is_some_and(|ending| ending == "c")));
    }
    command.args(PROGRAM.map(|name| Path::new("ports/posix").join(name)));
    match command.output() {
        Ok(output) => {
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            Some(program)
        }
        Err(why) => {
            eprintln!("skipped: there is no C compiler: {why}");
            None
        }
    }
}
