//! Several targets as one list.

use std::path::{Path, PathBuf};

use super::{BREW, DROPS, GREENHOUSE, LARGE, SMALL, Stage, shown, stage_of_targets};

const RATE: &[&str] = &["obj-ptr=8", "fun-ptr=8", "ticks-per-second=1000000"];

/// Two targets with clocks of their own, whose unit is known of the first one only.
fn joint(size: (u16, u16)) -> Stage {
    joint_with("rkh", GREENHOUSE, size)
}

fn joint_with(protocol: &str, capture: &str, size: (u16, u16)) -> Stage {
    let path = |capture: &str| -> PathBuf { Path::new(env!("CARGO_MANIFEST_DIR")).join("../decoders").join(capture) };
    let (drops, other) = (path(DROPS), path(capture));
    let mut stage = stage_of_targets(&[("qs", &drops, RATE), (protocol, &other, &[])], size);
    stage.types(":show targets\r");
    stage
}

#[test]
fn where_every_clock_is_known_the_column_of_deltas_has_one_unit() {
    let screen = joint_with("tband", BREW, SMALL).types(":goto #0:1918\r").frame();
    assert!(screen.contains(" Δ us source ") && screen.contains("    +433 ove"), "{screen}");
    let screen = joint(SMALL).types(":goto #0:1918\r").frame();
    assert!(screen.contains("  Δ source ") && screen.contains(" +433us ove"), "{screen}");
}

/// Its details have the unit of its own source.
#[test]
fn a_row_of_two_targets_says_whose_it_is() {
    insta::assert_snapshot!("joint_at_80x24", joint(SMALL).types(":goto #0:1918\r").frame());
}

#[test]
fn the_header_says_of_each_target_what_it_lost() {
    let screen = joint(LARGE).frame();
    for (capture, options) in [(DROPS, RATE), (GREENHOUSE, &[])] {
        let alone = shown(capture, options, LARGE).frame();
        let losses = alone.lines().nth(1).unwrap().split("   ").next().unwrap().trim_end();
        let name = capture.rsplit('/').next().unwrap();
        assert!(losses.starts_with(" gaps ") && screen.contains(&format!(" {name}:{losses}")), "{losses}\n{screen}");
    }
}

#[test]
fn rows_of_several_targets_are_not_written() {
    let mut stage = joint(SMALL);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rows.txt");
    let screen = stage.types(&format!(":write {}\r", file.display())).frame();
    assert!(screen.contains("this is about one target; ( and ) choose one"), "{screen}");
    assert!(!file.exists());
}
