//! Setup and description of the program: `config init`, `doctor`, `man`, `completions`.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::rig::{folder, set_environment, spytui};

/// Runs the program in its own home folder.
fn run(home: &Path, args: &[&str], env: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_spytui"));
    set_environment(
        |name, value| {
            command.env(name, value);
        },
        home,
    );
    command.env_remove("LC_ALL").envs(env.iter().copied()).args(args).current_dir(home).output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    str::from_utf8(bytes).unwrap()
}

#[test]
fn config_init_writes_all_settings_once() {
    let home = folder();
    let file = home.path().join("config/spytui/spytui.toml");
    let first = run(home.path(), &["config", "init"], &[]);
    assert_eq!((first.status.code(), first.stderr.len()), (Some(0), 0));
    assert!(text(&first.stdout).starts_with(&format!("{}: ", file.display())), "{}", text(&first.stdout));
    // Unchanged it has no effect, and it is a place for changes.
    let printed = |env| text(&run(home.path(), &["--print-config"], env).stdout).to_owned();
    assert!(!printed(&[]).contains(&format!("{}:", file.display())));
    fs::write(&file, fs::read_to_string(&file).unwrap().replace("#fps = 30", "fps = 25")).unwrap();
    assert!(printed(&[]).contains(&format!("{}:", file.display())), "{}", printed(&[]));
    let again = run(home.path(), &["config", "init"], &[]);
    assert_eq!(again.status.code(), Some(3));
    assert!(text(&again.stderr).contains("exists already and stays as it is"));
    assert!(fs::read_to_string(&file).unwrap().contains("\nfps = 25"));
}

#[test]
fn config_init_follows_no_link_and_mends_no_other_file() {
    let home = folder();
    let config = home.path().join("config/spytui");
    fs::create_dir_all(&config).unwrap();
    std::os::unix::fs::symlink(home.path().join("elsewhere"), config.join("spytui.toml")).unwrap();
    assert_eq!(run(home.path(), &["config", "init"], &[]).status.code(), Some(3));
    assert!(!home.path().join("elsewhere").exists());
}

#[test]
fn doctor_says_what_a_report_needs_and_no_secret() {
    let home = folder();
    let (config, plugins) = (home.path().join("config/spytui"), home.path().join("data/spytui/plugins"));
    fs::create_dir_all(&config).unwrap();
    fs::create_dir_all(&plugins).unwrap();
    fs::write(config.join("spytui.toml"), "[ui]\nfps = 30\ntheme = \"light\"\n").unwrap();
    fs::write(plugins.join("libspytui_broken.so"), b"no library").unwrap();
    let env = [
        ("TERM", "screen-256color"),
        ("LANG", "de_DE.UTF-8"),
        ("SPYTUI_UI_ESC_WAIT", "70"),
        ("API_TOKEN", "hunter2"),
        ("SSH_CONNECTION", "10.1.2.3 5 10.1.2.4 22"),
    ];
    let output = run(home.path(), &["doctor"], &env);
    assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0), "{}", text(&output.stderr));
    let report = text(&output.stdout);
    let theme = format!("set            ui.theme = \"light\"   # {}:3", config.join("spytui.toml").display());
    for line in [
        concat!("spytui ", env!("CARGO_PKG_VERSION"), "\ncommit "),
        "\nplugin API ",
        "  TERM           screen-256color\n",
        "  COLORTERM      not set\n",
        "  size           ",
        "  colours        256\n",
        "  over SSH       yes\n",
        "  LANG           de_DE.UTF-8\n",
        "\nports\n  ",
        &format!("  configuration  {}\n", config.display()),
        &format!("  state          {}, not there\n", home.path().join("state/spytui").display()),
        &format!("  plugins        {}\n", plugins.display()),
        "  note           ",
        "libspytui_broken.so",
        &theme,
        "set            ui.esc-wait = 70   # SPYTUI_UI_ESC_WAIT\n",
        &format!("file           {}, not there\n", home.path().join(".spytui.toml").display()),
    ] {
        assert!(report.contains(line), "{line}\n{report}");
    }
    // A value in its file that equals the default does not count as different.
    assert!(!report.contains("ui.fps"), "{report}");
    assert!(!report.contains("hunter2") && !report.contains("10.1.2.3"), "{report}");
}

#[test]
fn doctor_and_help_work_with_a_broken_configuration() {
    let home = folder();
    fs::write(home.path().join(".spytui.toml"), "[ui]\ntheem = \"light\"\n").unwrap();
    assert_eq!(run(home.path(), &["ports"], &[]).status.code(), Some(2));
    let report = run(home.path(), &["doctor"], &[]);
    assert_eq!(report.status.code(), Some(0));
    let report = text(&report.stdout);
    assert!(report.contains("  wrong          ") && report.contains("did you mean \"theme\""), "{report}");
    for args in [&["-h"][..], &["man"], &["completions", "zsh"], &["config", "init"]] {
        assert_eq!(run(home.path(), args, &[]).status.code(), Some(0), "{args:?}");
    }
}

#[test]
fn on_a_terminal_man_and_completions_say_where_they_go() {
    for (args, place) in [
        (&["man"][..], "spytui man > ~/.cargo/share/man/man1/spytui.1"),
        (&["completions", "fish"], "spytui completions fish > ~/.config/fish/completions/spytui.fish"),
    ] {
        let mut stage = spytui(args.iter().copied()).size(200, 30).start();
        stage.shows(&format!("spytui: this goes to a file, for example: {place}"));
        assert_eq!(stage.code(), 0);
        let home = folder();
        let output = run(home.path(), args, &[]);
        assert!(output.stderr.is_empty() && !output.stdout.is_empty(), "{args:?}");
        let help = run(home.path(), &[args[0], "--help"], &[]);
        assert!(text(&help.stdout).contains(place), "{}", text(&help.stdout));
    }
}
