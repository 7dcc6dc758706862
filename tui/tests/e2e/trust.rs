//! Files that somebody else may have written: neither plugins nor settings are used from them.

use std::{
    fs,
    os::unix::fs::{PermissionsExt, chown, symlink},
    path::{Path, PathBuf},
    process::Command,
};

use tempfile::TempDir;

use crate::{
    cores::toy,
    rig::{folder, set_environment},
};

struct House {
    folder: TempDir,
}

impl House {
    /// A folder with a plugin in `plugins/`, a project's file, and the user's own.
    fn new() -> House {
        let house = House { folder: folder() };
        fs::create_dir_all(house.path("plugins")).unwrap();
        fs::create_dir_all(house.own().parent().unwrap()).unwrap();
        fs::copy(toy(), house.plugin()).unwrap();
        fs::write(house.project(), "[alias]\nlate = \"filter dt>1ms\"\n").unwrap();
        fs::write(house.own(), "[alias]\nmine = \"target reset!\"\n").unwrap();
        house
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn plugin(&self) -> PathBuf {
        self.path("plugins").join(toy().file_name().unwrap())
    }

    fn project(&self) -> PathBuf {
        self.path(".spytui.toml")
    }

    fn own(&self) -> PathBuf {
        self.path("home/config/spytui/spytui.toml")
    }

    /// Output on stdout and stderr.
    fn run(&self, args: &[&str]) -> (String, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_spytui"));
        let set = |name: &str, value| {
            command.env(name, value);
        };
        set_environment(set, &self.path("home"));
        let output = command.args(args).env("SPYTUI_PLUGIN_PATH", self.path("plugins")).current_dir(self.folder.path());
        let output = output.output().unwrap();
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    }
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

const EVERYBODY: &str = "everybody may write to it";
const OTHERS: &str = "it belongs neither to you nor to root";

#[test]
fn what_others_may_write_is_not_obeyed() {
    let house = House::new();
    let has_toy = || house.run(&["plugins"]).0.contains("toy ");
    assert!(has_toy());
    let all = [
        (house.path("plugins"), 0o755, 0o777, "plugins", "toy ", " is ignored: "),
        (house.plugin(), 0o644, 0o666, "plugins", "toy ", ": not loaded: "),
        (house.project(), 0o644, 0o666, "--print-config", "late", " is ignored: "),
        (house.own(), 0o600, 0o666, "--print-config", "mine", " is ignored: "),
    ];
    for (path, private, open, args, mark, verb) in all {
        let name = path.file_name().unwrap().to_str().unwrap();
        set_mode(&path, open);
        let (printed, said) = house.run(&[args]);
        assert!(!printed.contains(mark), "{name}: {printed}");
        assert!(format!("{printed}{said}").contains(&format!("{name}{verb}{EVERYBODY}")), "{printed}{said}");
        set_mode(&path, private);
        assert!(house.run(&[args]).0.contains(mark), "{name}");
        // Only root can give files away.
        if chown(&path, Some(1), None).is_ok() {
            let (printed, said) = house.run(&[args]);
            assert!(!printed.contains(mark), "{name}: {printed}");
            assert!(format!("{printed}{said}").contains(&format!("{name}{verb}{OTHERS}")), "{printed}{said}");
            chown(&path, Some(rustix::process::geteuid().as_raw()), None).unwrap();
        }
    }
    assert!(has_toy());
}

#[test]
fn a_plugin_is_what_its_link_leads_to() {
    let house = House::new();
    let elsewhere = house.path("elsewhere.so");
    fs::rename(house.plugin(), &elsewhere).unwrap();
    symlink(&elsewhere, house.plugin()).unwrap();
    assert!(house.run(&["plugins"]).0.contains("toy "));
    set_mode(&elsewhere, 0o666);
    let (printed, said) = house.run(&["plugins"]);
    assert!(!printed.contains("toy ") && format!("{printed}{said}").contains(EVERYBODY), "{printed}{said}");
    // By name, too.
    assert!(house.run(&["--plugin", elsewhere.to_str().unwrap(), "plugins"]).1.contains(EVERYBODY));
}

#[test]
fn keys_of_others_are_not_obeyed() {
    let house = House::new();
    let keys = house.own().with_file_name("keys.toml");
    fs::write(&keys, "").unwrap();
    set_mode(&keys, 0o666);
    assert!(house.run(&["ports"]).1.contains(&format!("keys.toml: {EVERYBODY}")));
}

#[test]
fn the_file_of_a_project_sends_nothing() {
    let house = House::new();
    for (text, why) in [
        ("[alias]\nq = \"target reset!\"\n", "alias q would hide the command q"),
        ("[alias]\nlate = \"target reset!\"\n", "alias late: a project's alias may begin with"),
        ("[profile.board]\ntarget-filter = \"-SM\"\n", "may not send anything to the target"),
        ("[record]\ndir = \"/tmp\"\n", "may not record outside the project's folder"),
    ] {
        fs::write(house.project(), text).unwrap();
        let (printed, said) = house.run(&["--print-config"]);
        assert!(printed.is_empty() && said.contains(".spytui.toml:2: ") && said.contains(why), "{printed}{said}");
    }
}
