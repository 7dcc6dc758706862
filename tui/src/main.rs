//! The `spytui` command.

fn main() -> std::process::ExitCode {
    spytui::main()
}
