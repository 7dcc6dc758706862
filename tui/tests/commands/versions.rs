//! Frames for QS targets of versions other than the newest.

use spytui_plugin_api::Frames;

use super::{
    sizes::{framed, stuffed},
    target::Target,
};

/// The bytes sent by a QS target.
pub(crate) struct Qs {
    bytes: Vec<u8>,
    seq: u8,
}

impl Qs {
    /// A target with 4-byte pointers that reported its version, in the layout before 8.
    pub(crate) fn of_version(version: u16) -> Qs {
        let [low, high] = version.to_le_bytes();
        let info = [0xFF, low, high, 0x42, 0x21, 0x22, 0x44, 4, 8, 0x11, 0, 0, 0, 1, 1, 26];
        Qs { bytes: Vec::new(), seq: 0 }.add(0, &[]).add(64, &info)
    }

    /// Adds a record.
    fn add(mut self, id: u8, payload: &[u8]) -> Qs {
        self.seq += 1;
        self.bytes.extend(stuffed(&framed(self.seq, id, payload)));
        self
    }

    pub(crate) fn target(&self) -> Target {
        Target::of("qs", &self.bytes)
    }

    fn send(&self, line: &str) -> Result<Frames, String> {
        self.target().send(line)
    }
}

/// Id and payload of the only frame.
fn payload(frames: &Frames) -> &[u8] {
    assert_eq!(frames.frames.len(), 1);
    &frames.bytes[1..frames.bytes.len() - 2]
}

fn mask(frames: &Frames) -> u128 {
    u128::from_le_bytes(payload(frames)[2..18].try_into().unwrap())
}

/// The host looks up commands among the names of application records, as enumerations did not name them yet.
#[test]
fn a_user_dictionary_names_commands_before_7_1_4() {
    let named = |version| Qs::of_version(version).add(63, b"\x65CMD_OLD\0");
    let frames = named(713).send("command CMD_OLD 1 2 3").unwrap();
    assert_eq!(payload(&frames), [1, 0x65, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0]);
    assert!(named(714).send("command CMD_OLD 1 2 3").unwrap_err().contains("no name \"CMD_OLD\""));
}

#[test]
fn the_group_of_the_scheduler_is_that_of_the_version() {
    let of = |version| mask(&Qs::of_version(version).send("filter =SC").unwrap());
    let bits = |first: u32, last: u32| (first..=last).fold(0_u128, |mask, bit| mask | 1 << bit);
    for (version, (first, last)) in
        [(693, (48, 54)), (709, (48, 54)), (710, (50, 54)), (711, (50, 54)), (712, (48, 54)), (719, (48, 54))]
    {
        assert_eq!(of(version), bits(first, last), "{version}");
    }
    assert_eq!([of(720), of(734)], [bits(48, 53); 2]);
}

#[test]
fn event_pools_are_unknown_to_a_target_before_8() {
    for line in ["query ep", "current ep 0x20001040"] {
        let refusal = Qs::of_version(734).send(line).unwrap_err();
        assert!(refusal.contains("unknown to this target"), "{line}: {refusal}");
        assert_eq!(Qs::of_version(812).send(line).unwrap().remarks.len(), 0, "{line}");
        // The version is unknown.
        let frames = Target::of("qs", b"").send(line).unwrap();
        assert!(frames.remarks[0].contains("before QP 8 it does not know ep"), "{line}");
    }
    assert_eq!(payload(&Qs::of_version(812).send("query ep").unwrap()), [15, 7]);
    assert_eq!(payload(&Qs::of_version(734).send("query ap").unwrap()), [15, 5]);
}

#[test]
fn all_objects_are_all_bits() {
    let of = |line| mask(&Qs::of_version(734).send(line).unwrap());
    assert_eq!(of("local =ALL"), u128::MAX);
    assert_eq!(of("local =ALL -EQ"), !(0xFFFF << 80));
    assert_eq!(of("local -EQ"), !(0xFFFF << 80));
    assert_eq!(of("local =AO"), u128::from(u64::MAX) << 1);
}
