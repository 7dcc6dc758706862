//! Detects plugins that print. The test harness captures output, so the test runs once more in a separate process that
//! does nothing but call plugins between two marks.

use std::{
    cell::Cell,
    env,
    io::{Write as _, stderr, stdout},
    process::{Command, Stdio},
    thread,
};

use spytui_plugin_api::guard::guard;

/// Set in the process that only calls plugins.
const ONLY_CALLS: &str = "SPYTUI_KIT_ONLY_CALLS";
const BEGIN: &str = "<kit calls a plugin>";
const END: &str = "<kit has called it>";

thread_local! {
    /// This thread's test has been checked.
    static DONE: Cell<bool> = const { Cell::new(false) };
}

/// Checks whether the plugin calls of this test print. In the separate process, makes `calls` and returns `true`: then
/// the kit must stop. Tests without their own thread are not checked.
///
/// # Panics
/// Something prints.
pub(super) fn are_looked_for(calls: impl FnOnce()) -> bool {
    if env::var_os(ONLY_CALLS).is_some() {
        mark(BEGIN);
        // Other checks report any failure.
        let answer = guard(|| {
            calls();
            Ok(())
        })
        .into_result();
        mark(if answer.is_ok() { END } else { "" });
        return true;
    }
    if let Some(printed) = printed().filter(|printed| !printed.is_empty()) {
        panic!("it prints {printed:?}");
    }
    false
}

fn mark(text: &str) {
    let _ = writeln!(stdout(), "{text}");
    let _ = writeln!(stderr(), "{text}");
}

/// Runs the current test again and returns what it prints between marks.
fn printed() -> Option<String> {
    if DONE.replace(true) {
        return None;
    }
    let test = thread::current().name().filter(|name| *name != "main")?.to_owned();
    let mut command = Command::new(env::current_exe().ok()?);
    command.args([&test, "--exact", "--nocapture", "--test-threads=1"]).env(ONLY_CALLS, "1").stdin(Stdio::null());
    let output = command.output().ok()?;
    let between = [output.stdout, output.stderr].map(|bytes| between_marks(&String::from_utf8_lossy(&bytes)));
    Some(between.concat())
}

fn between_marks(output: &str) -> String {
    let calls = output.split(BEGIN).skip(1).filter_map(|rest| rest.split_once(END));
    calls.map(|(printed, _)| printed.trim_matches('\n')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_between_marks_is_printed_by_a_plugin() {
        let output = format!("test a ... {BEGIN}\n{END}\n1{BEGIN}\nhello\n{END}\n{BEGIN}\nlost");
        assert_eq!(between_marks(&output), "hello");
    }
}
