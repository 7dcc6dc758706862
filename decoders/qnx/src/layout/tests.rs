use super::*;

#[test]
fn every_kind_is_declared_once() {
    let mut declared = declared();
    declared.sort_by_key(|declared| declared.first);
    assert!(declared.windows(2).all(|pair| pair[0].last < pair[1].first));
    assert!(LAYOUTS < usize::from(UNKNOWN_CALLS - FIRST));
    for release in 6..=8 {
        for code in 0..1 << 14 {
            let kind = Codes::of(release).kind(code);
            let known = declared.iter().any(|d| (d.first..=d.last).contains(&kind));
            assert!(kind == 0 || known, "release {release}, code {code:#x}, kind {kind:#x}");
        }
    }
}

#[test]
fn releases_have_their_own_events() {
    let name = |release, class: u32, number: u32| {
        let kind = Kind(Codes::of(release).kind(class << 10 | number));
        (kind.0 != 0).then(|| (kind.layout().name, kind.is_64()))
    };
    assert_eq!([6, 7, 8].map(|release| name(release, 2, 3).unwrap().0), ["SPARE1", "CACHE_FLUSH", "CACHE_CONTROL"]);
    assert_eq!([6, 7, 8].map(|release| name(release, 4, 7).unwrap().0), ["THSTACK", "THSTACK", "THMQ_SEND"]);
    assert_eq!([6, 7, 8].map(|release| name(release, 1, 8)), [None, None, Some(("DROPPED", false))]);
    assert_eq!(name(7, 2, 11 | 0x200), Some(("MSG_SENDV", true)));
    assert_eq!([name(6, 2, 11 | 0x200), name(7, 2, (256 + 11) | 0x200)], [None, None]);
    assert_eq!([name(6, 2, 128 + 100), name(8, 2, 128 + 100)], [Some(("", false)), Some(("PIPE_CLOSE", false))]);
    assert_eq!([name(6, 9, 2), name(7, 9, 7), name(8, 9, 7)], [None, None, Some(("", false))]);
    assert_eq!([name(7, 4, 26 + 1).unwrap().0, name(6, 0, 0).map_or("", |name| name.0)], ["VTHRUNNING", ""]);
}
