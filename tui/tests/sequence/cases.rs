//! Diagrams as written, and what the command refuses.

use super::{diagram, folder_of, run, stderr};

macro_rules! diagrams {
    ($($name:ident: $proto:literal $capture:literal $ending:literal $options:expr;)*) => {
        $(#[test]
        fn $name() {
            insta::assert_snapshot!(stringify!($name), diagram($proto, $capture, $ending, &$options).0);
        })*
    };
}

diagrams! {
    qs_as_mermaid: "qs" "oven-734.bin" "mmd" ["--filter", "n:685..724"];
    qs_as_plantuml: "qs" "oven-734.bin" "puml" ["--filter", "n:685..724"];
    qs_with_losses: "qs" "oven-734-drops.bin" "plantuml" ["-o", "obj-ptr=8", "-o", "fun-ptr=8", "--filter", "n:1..300"];
    qs_taken_by_two: "qs" "oven-734.bin" "mmd" ["--filter", "n:685..724", "--taken", "--lifelines", "AO(l_door),motor,?"];
    rkh_as_mermaid: "rkh" "gh340-default.bin" "mmd" ["--filter", "n:300..420"];
    tband_as_mermaid: "tband" "brew_stream.bin" "mmd" ["--filter", "n:100..200"];
    qnx_as_plantuml: "qnx" "fast-2cpu.kev" "puml" ["--filter", "n:1..220"];
}

#[test]
fn what_cannot_be_drawn_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let capture = folder_of("qs").join("oven-734.bin").display().to_string();
    let out = |name: &str| folder.path().join(name).display().to_string();
    let refused = |options: &[&str]| {
        let output = run(&[&["export", "sequence", "--proto", "qs", &capture], options].concat());
        assert_eq!(output.status.code(), Some(2), "{options:?}");
        stderr(&output)
    };
    assert!(refused(&[]).contains("-o OUT.mmd or OUT.puml"));
    assert!(refused(&["-o", &out("x.svg")]).contains(".mmd for Mermaid, .puml or .plantuml for PlantUML"));
    assert!(refused(&["-o", &out("x.mmd"), "--filter", "knd:x"]).contains("--filter: "));
    std::fs::write(out("mine.mmd"), "mine").unwrap();
    assert!(refused(&["-o", &out("mine.mmd")]).contains("--force"));
    assert_eq!(std::fs::read(out("mine.mmd")).unwrap(), b"mine");
    // Nothing else is left in the folder.
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn what_the_user_has_to_know_is_said() {
    let (_, said) = diagram("qs", "oven-734.bin", "mmd", &["--lifelines", "nobody"]);
    assert!(said.contains("the diagram is empty"), "{said}");
    let folder = tempfile::tempdir().unwrap();
    let (twice, out) = (folder.path().join("twice.bin"), folder.path().join("twice.mmd"));
    std::fs::write(&twice, std::fs::read(folder_of("qs").join("oven-734.bin")).unwrap().repeat(2)).unwrap();
    let said = run(&["export", "sequence", "-p", "qs", twice.to_str().unwrap(), "-o", out.to_str().unwrap()]);
    assert!(stderr(&said).contains("50 000 characters"), "{}", stderr(&said));
    assert!(std::fs::read_to_string(out).unwrap().contains(": target reset#58; QP 7.3.3"));
    assert_eq!(diagram("qs", "oven-734.bin", "puml", &["--filter", "n:685..724"]).1, "");
}

/// A filter on a word or field of a row decides as in the list.
#[test]
fn filters_are_those_of_the_list() {
    let lines = |filter: &str| {
        let (text, _) = diagram("qs", "oven-734.bin", "mmd", &["--filter", filter]);
        text.lines()
            .filter(|line| line.contains("%%"))
            .map(|line| line[7..].split(' ').next().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    let posts = lines("kind:AO-Post sig:SPIN_REQ_SIG n:600..800");
    assert_eq!(posts, ["#696", "#714"], "{posts:?}");
    assert_eq!(lines("SPIN_REQ_SIG kind:Ignore n:600..800"), ["#613", "#724"]);
    assert_eq!(lines("from:door n:600..800"), ["#714"]);
}
