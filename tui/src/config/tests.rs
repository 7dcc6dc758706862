//! Tests of the whole configuration.

use super::schema::SETTINGS;
use super::*;

fn wrong(text: &str) -> String {
    Config::built_in().overlay("f.toml", text, Trust::Own).unwrap_err().to_string()
}

#[test]
fn the_defaults_are_right_and_complete() {
    let mut config = Config::built_in();
    config.overlay("spytui.toml", DEFAULTS, Trust::Own).unwrap();
    for (name, _) in SETTINGS.iter().filter(|(name, _)| !name.contains('*')) {
        assert!(Config::built_in().get(name).is_some(), "{name} has no default");
    }
    let config = Config::built_in();
    assert_eq!((config.text("ui.theme"), config.integer("ui.fps")), ("auto", Some(30)));
    assert_eq!((config.size("store.memory"), config.integer("ui.budget")), (Some(384_000_000), None));
    assert!(config.on("ui.details") && !config.on("ui.mouse"));
    assert_eq!(config.list("columns.qs").len(), 6);
}

#[test]
fn later_layers_win_and_origins_are_kept() {
    let mut config = Config::built_in();
    config.overlay("/etc/spytui/spytui.toml", "[ui]\nfps = 10\ntheme = \"light\"\n", Trust::Own).unwrap();
    config.overlay("user.toml", "\n[ui]\nfps = 12\n[decode.qs]\nversion = 7.3\nsignal = 2\n", Trust::Own).unwrap();
    let variable = |name: &str, value: &str| (name.into(), value.into());
    let variables = [
        variable("SPYTUI_UI_ESC_WAIT", "20"),
        variable("SPYTUI_DECODE_QS_EVENT_SIZE", "4"),
        variable("SPYTUI_LOG", "debug"),
        variable("HOME", "/"),
    ];
    config.overlay_variables(variables).unwrap();
    config.set("ui.theme", "mono", SettingOrigin::Flag("--theme".into())).unwrap();
    let line = |name: &str| {
        let (value, origin) = config.get(name).unwrap();
        format!("{name} = {} ({origin})", value.to_string().trim_matches('"'))
    };
    assert_eq!(line("ui.fps"), "ui.fps = 12 (user.toml:3)");
    assert_eq!(line("ui.theme"), "ui.theme = mono (--theme)");
    assert_eq!(line("ui.esc-wait"), "ui.esc-wait = 20 (SPYTUI_UI_ESC_WAIT)");
    assert_eq!(line("ui.mouse"), "ui.mouse = false (built in)");
    let options: Vec<String> = config.below("decode.qs").map(|(name, value, _)| format!("{name}={value}")).collect();
    assert_eq!(options, ["event-size=\"4\"", "signal=\"2\"", "version=\"7.3\""]);
}

#[test]
fn mistakes_name_file_line_and_nearest_word() {
    assert_eq!(wrong("[ui]\n\nthem = \"x\"\n"), "f.toml:3: unknown setting \"them\" in [ui]; did you mean \"theme\"?");
    assert_eq!(wrong("[uj]\nx = 1\n"), "f.toml:1: unknown setting \"uj\"; did you mean \"ui\"?");
    assert_eq!(wrong("theme = 1\n"), "f.toml:1: unknown setting \"theme\"");
    assert_eq!(wrong("ui = 1\n"), "f.toml:1: ui is a table of settings");
    assert_eq!(wrong("[ui]\nfps = 99\n"), "f.toml:2: ui.fps must be a number from 1 to 60");
    assert_eq!(wrong("[ui]\nmouse = \"yes\"\n"), "f.toml:2: ui.mouse must be true or false");
    assert_eq!(
        wrong("[ui]\nglyphs = \"asci\"\n"),
        "f.toml:2: ui.glyphs \"asci\" is not one of: auto unicode cp437 ascii; did you mean \"ascii\"?"
    );
    assert!(wrong("[columns]\nqs = [\"tim\"]\n").ends_with("did you mean \"time\"?"));
    assert_eq!(wrong("[store]\nmemory = \"lots\"\n"), "f.toml:2: store.memory must be a size, as \"512 MB\"");
    assert_eq!(
        wrong("[filters]\nx = \"sev:eror\"\n"),
        "f.toml:2: filters.x column 5: unknown severity \"eror\"; nearest: error"
    );
    assert_eq!(
        wrong("[profile.a]\nprot = \"qs\"\n"),
        "f.toml:2: unknown setting \"prot\" in [profile.a]; did you mean \"proto\"?"
    );
    assert!(wrong("[ui\n").starts_with("f.toml:1: "));
    let mut config = Config::built_in();
    let variable = ("SPYTUI_UI_TEHME".into(), "x".into());
    let error = config.overlay_variables([variable]).unwrap_err();
    assert_eq!(error.to_string(), "SPYTUI_UI_TEHME: unknown setting; did you mean \"SPYTUI_UI_THEME\"?");
    assert_eq!(
        config.set("ui.fsp", "1", SettingOrigin::Flag("--fps".into())),
        Err("unknown setting \"fsp\" in [ui]; did you mean \"fps\"?".into())
    );
}

#[test]
fn a_project_may_not_load_code() {
    let text = "[plugins]\npath = [\"./evil.so\"]\n";
    let mut config = Config::built_in();
    assert!(config.overlay(".spytui.toml", text, Trust::Project).is_err());
    assert!(config.list("plugins.path").is_empty());
    assert!(config.overlay("user.toml", text, Trust::Own).is_ok());
}

#[test]
fn a_project_may_not_send_to_the_target_nor_replace_own_names() {
    let refused = |text: &str| {
        let mut config = Config::built_in();
        config.overlay("user.toml", "[alias]\nmine = \"q\"\n[profile.own]\nport = \"/dev/x\"\n", Trust::Own).unwrap();
        config.overlay(".spytui.toml", text, Trust::Project).unwrap_err().to_string()
    };
    assert_eq!(
        refused("[profile.a]\ntarget-filter = \"-SM\"\n"),
        ".spytui.toml:2: a project's file may not send anything to the target; put it into your own spytui.toml"
    );
    for line in ["dtr", "rts"] {
        let why = "a project's file may not switch the lines of a port";
        assert!(refused(&format!("[link]\n{line} = \"off\"\n")).contains(why), "{line}");
    }
    assert_eq!(
        refused("[alias]\nmine = \"filter x\"\n"),
        ".spytui.toml:2: mine would replace your own, of user.toml:2; give it another name"
    );
    assert!(refused("[profile.own]\nport = \"/dev/y\"\n").contains("own would replace your own, of user.toml:4"));
}

#[cfg(unix)]
#[test]
fn a_project_records_in_its_folder_only() {
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(std::env::temp_dir(), folder.path().join("away")).unwrap();
    let file = folder.path().join(".spytui.toml").to_string_lossy().into_owned();
    let inside = folder.path().join("x").to_string_lossy().into_owned();
    let accepts = |dir: &str| {
        let of = |text: String| Config::built_in().overlay(&file, &text, Trust::Project);
        let dir_of_all = of(format!("[record]\ndir = \"{dir}\"\n"));
        assert_eq!(dir_of_all.is_ok(), of(format!("[profile.a]\nrecord = \"{dir}\"\n")).is_ok());
        dir_of_all.is_ok()
    };
    assert!(["runs", "runs/today", "", &inside].into_iter().all(accepts));
    assert!(!["/tmp", "../x", "runs/../../x", "away", "away/x", "/"].into_iter().any(accepts));
}

#[test]
fn what_is_printed_reads_the_same() {
    let mut config = Config::built_in();
    let own = "[alias]\n\"a b\" = \"filter \\\"x\\\"\"\n[profile.board1]\nport = \"/dev/x\"\nbaud = 921600\noptions = [\"a=1\"]\n";
    config.overlay("user.toml", own, Trust::Own).unwrap();
    let printed = config.print();
    assert!(printed.contains("fps = 30                                 # built in\n"), "{printed}");
    let mut again = Config::built_in();
    again.overlay("printed", &printed, Trust::Own).unwrap();
    let values = |config: &Config| config.all().map(|(n, v, _)| format!("{n}={v}")).collect::<Vec<_>>();
    assert_eq!(values(&config), values(&again));
}

#[test]
fn profiles_are_found() {
    let mut config = Config::built_in();
    let own = "[profile.board1]\nport = \"/dev/x\"\nbaud = 921600\n[profile.board2]\ntcp = \"h:1\"\n";
    config.overlay("user.toml", own, Trust::Own).unwrap();
    assert_eq!(config.profiles(), ["board1", "board2"]);
    let board = config.profile("board1").unwrap();
    let of_board = |key: &str| format!("{board}.{key}");
    let texts = ["port", "tcp"].map(|key| config.text(&of_board(key)));
    assert_eq!((texts, config.integer(&of_board("baud"))), (["/dev/x", ""], Some(921_600)));
    assert_eq!(config.profile("board3").unwrap_err(), "@board3: no such profile; did you mean \"@board1\"?");
}

#[test]
fn saved_filters_last() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("state/filters");
    let folders = Folders { saved_filters: Some(file.clone()), ..Folders::default() };
    for (name, filter) in [("mine", "kind:Tran"), ("all", ""), ("mine", "-kind:Tran obj:motor"), ("bad", "sev:eror")] {
        save_filter(&file, name, filter).unwrap();
    }
    let config = Config::load(&folders, []).unwrap();
    assert_eq!(config.below("filters").map(|(name, ..)| name).collect::<Vec<_>>(), ["all", "mine"]);
    assert_eq!((config.text("filters.mine"), config.text("filters.all")), ("-kind:Tran obj:motor", ""));
    let [refused] = config.refused.as_slice() else { panic!("{:?}", config.refused) };
    assert!(refused.contains("filters:4: filters.bad") && refused.contains("unknown severity"), "{refused}");
}

#[test]
fn files_are_found_in_their_folders() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let folders = Folders {
        system: Some(root.join("system")),
        user: Some(root.join("user")),
        project: Some(root.join("project")),
        saved_filters: Some(root.join("state/filters")),
    };
    let put = |file: &str, text: &str| {
        let path = root.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    assert_eq!(Config::load(&folders, []).unwrap(), Config::built_in());
    put("system/spytui.toml", "[ui]\nfps = 5\nhints = false\n");
    put("user/spytui.toml", "[ui]\nfps = 6\n");
    put("project/.spytui.toml", "[filters]\nmine = \"kind:Tran\"\n");
    put("user/themes/mine.toml", "inherit = \"dark\"\n");
    let config = Config::load(&folders, []).unwrap();
    assert_eq!((config.integer("ui.fps"), config.on("ui.hints")), (Some(6), false));
    assert_eq!(config.text("filters.mine"), "kind:Tran");
    assert!(folders.theme("mine").is_some() && folders.theme("../mine").is_none() && folders.theme("no").is_none());
    put("user/spytui.toml", "[ui]\nfsp = 6\n");
    let error = Config::load(&folders, []).unwrap_err().to_string();
    assert!(error.ends_with("user/spytui.toml:2: unknown setting \"fsp\" in [ui]; did you mean \"fps\"?"), "{error}");
}
