//! Unreadable text is reported with its line; nothing panics, and the split into pieces does not matter.

use proptest::prelude::*;

use super::{TextDecoder, TextForm, TextSink};

/// Everything that reading a text produces.
#[derive(Debug, Default, PartialEq, Eq)]
struct All {
    bytes: Vec<u8>,
    /// Gaps: position, length, place.
    missing: Vec<(usize, u64, String)>,
    remarks: Vec<String>,
}

impl TextSink for All {
    fn bytes(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    fn missing(&mut self, count: u64, place: &str) {
        self.missing.push((self.bytes.len(), count, place.to_owned()));
    }

    fn remark(&mut self, text: String) {
        self.remarks.push(text);
    }
}

fn decoded(form: TextForm, text: &[u8], size: usize) -> (All, Result<(), String>) {
    let (mut decoder, mut all) = (TextDecoder::new(form), All::default());
    let fed = text.chunks(size).try_for_each(|piece| decoder.feed(piece, &mut all));
    let result = fed.and_then(|()| decoder.finish(&mut all));
    (all, result.map_err(|error| error.to_string()))
}

fn all(text: &str) -> All {
    let (all, result) = decoded(TextForm::Hex, text.as_bytes(), usize::MAX);
    assert_eq!(result, Ok(()), "{text}");
    all
}

fn bytes(form: TextForm, text: &str) -> Result<Vec<u8>, String> {
    let (all, result) = decoded(form, text.as_bytes(), usize::MAX);
    result.map(|()| all.bytes)
}

fn hex(text: &str) -> Result<Vec<u8>, String> {
    bytes(TextForm::Hex, text)
}

fn wrong(text: &str) -> String {
    hex(text).expect_err(text)
}

#[test]
fn digits_become_bytes_in_groups_and_lines_of_any_length() {
    assert_eq!(hex("01 0aFF\r\n0102\n 7e\n"), Ok(vec![1, 10, 255, 1, 2, 0x7E]));
    assert_eq!(hex(""), Ok(vec![]));
    assert_eq!(hex("\n \n"), Ok(vec![]));
    assert_eq!(hex(&"5a".repeat(100_000)), Ok(vec![0x5A; 100_000]));
    assert_eq!(hex(&"0x5a, ".repeat(100_000)), Ok(vec![0x5A; 100_000]));
    let array = format!("$1 = {{{}}}", "0x5, 0x0 <repeats 20 times>, ".repeat(10_000));
    assert_eq!(hex(&array).map(|bytes| bytes.len()), Ok(210_000));
}

#[test]
fn digits_pair_within_a_word() {
    let odd = "an odd number of digits in";
    assert_eq!(wrong("0102\n034\n\n"), format!("line 2: {odd} \"034\": \"034\""));
    assert_eq!(wrong("01 0 fe 7e\n"), "line 1: not a hex dump or another form of hexadecimal data: \"01 0 fe 7e\"");
    assert_eq!(wrong("01 00 fe\n01 0 fe\n02 03 04"), format!("line 2: {odd} \"0\": \"01 0 fe\""));
    assert_eq!(wrong("I (1) a: 01 00\nI (2) a: 02 00\nI (3) a: 03 0"), format!("line 3: {odd} \"0\": \"03 0\""));
    assert_eq!(
        wrong("00000000: 0100 fe7e  ...~\n00000004: 0100 fe7  ...~"),
        format!("line 2: {odd} \"fe7\": \"00000004: 0100 fe7  ...~\"")
    );
}

#[test]
fn what_can_not_be_read_is_an_error_with_its_line() {
    assert!(wrong("01 00\n02 0g 03 04\n05 06").starts_with("line 2: "));
    assert!(wrong("the quick brown fox\njumps over").starts_with("line 1: "));
    assert!(wrong("1\n2\n3").starts_with("line 1: "));
    assert!(wrong("00000000  01 00 fe 7e  0z 40 02 22\n").starts_with("line 1: "));
    assert!(wrong("(gdb) x/4bx 0\n0x0:\t0x01\t0x00\n0x2:\t0xzz\t0x00").starts_with("line 3: "));
    assert!(wrong("01 é é").starts_with("line 1: "));
    assert!(wrong("{0x1, 0x2,\n 'a', 0x3}").starts_with("line 2: \"a\" is not a number"));
    assert!(wrong("{0x1, 0x2").ends_with("its closing brace is missing"));
    assert!(wrong("$1 = {0x1, 0x2...}").contains("set print elements 0"));
    assert!(wrong("uint8_t a[] = {1, 2, 300};").starts_with("line 1: 300 does not fit in 1 B"));
    assert!(wrong("char a[] = {1, 2};\nint a_len = 3;").starts_with("line 2: read 2 numbers, but this line says 3"));
    assert!(wrong("Time [s],Value\n0.1,0x01\n0.2,'x'").starts_with("line 3: "));
    assert!(wrong(" can0  123   [2]  01 00\n can0  124   [2]  01 00").starts_with("line 2: identifier 124 beside 123"));
    assert!(wrong(" can0  123   [2]  01 00\n can0  123   [3]  01 00").starts_with("line 2: the frame's length"));
    assert!(wrong(&"\u{1}\u{2}".repeat(100)).starts_with("line 1: "));
}

#[test]
fn check_sums_are_verified() {
    assert_eq!(hex(":0401000001020304F1\n:00000001FF\n"), Ok(vec![1, 2, 3, 4]));
    assert!(wrong(":0401000001020304F2\n").starts_with("line 1: the checksum is wrong"));
    assert!(wrong(":0401000001020304F1\n:0501000001020304F1").starts_with("line 2: the record's length"));
    assert_eq!(hex("S1070000010203 04EE\n".replace(' ', "").as_str()), Ok(vec![1, 2, 3, 4]));
    assert!(wrong("S10700000102030 4EF\n".replace(' ', "").as_str()).starts_with("line 1: the checksum is wrong"));
    assert!(wrong("S107000001020304EE\nS5030002FA\n").starts_with("line 2: read 1 data records, but this"));
    assert!(all(":0401000001020304F1\n").remarks[0].contains("end record of Intel HEX is missing"));
}

#[test]
fn addresses_are_no_data_and_show_what_is_missing() {
    let dump = |lines: &[&str]| all(&lines.join("\n"));
    let lines = ["00000000: 0102 0304", "00000004: 0506 0708", "00000008: 090a 0b0c", "0000000c: 0d0e 0f10"];
    assert_eq!(dump(&lines).bytes, (1..=16).collect::<Vec<u8>>());
    let cut = dump(&[lines[0], lines[1], lines[3]]);
    assert_eq!(cut.missing, [(8, 4, "before line 3, address 0000000c".to_owned())]);
    let octal =
        ["0000000 01 02 03 04 05 06 07 08", "0000020 01 02 03 04 05 06 07 08", "0000030 01 02 03 04", "0000034"];
    assert_eq!(dump(&octal).missing, [(8, 8, "before line 2, address 0000020".to_owned())]);
    let back = dump(&[lines[2], lines[3], lines[0], lines[1]]);
    assert_eq!((back.missing.len(), back.bytes.len()), (0, 16));
    assert_eq!(back.remarks, ["line 3: addresses go back from 0000000c to 00000000"]);
    // The addresses show that these are decimal numbers, or three-digit octal ones.
    assert!(wrong("0000000 0001 7541\n0000002 0003 7543").contains("its digits mean something else"));
    // Words are padded with zeros, which the last address removes.
    assert_eq!(hex("0000000 0201 0403\n0000004 0005\n0000005\n"), Ok(vec![1, 2, 3, 4, 5]));
}

#[test]
fn repeated_lines_are_filled_in_and_bounded() {
    let repeated = "00000000  01 02 03 04\n*\n00000010  05 06\n00000012\n";
    assert_eq!(hex(repeated), Ok([[1, 2, 3, 4].repeat(4), vec![5, 6]].concat()));
    assert!(wrong("01 02 03\n*\n01 02 03").contains("no address says how many"));
    assert!(wrong("00000000  01 02\n00000002  01 02\n*\n").contains("no address says how many"));
    assert!(wrong("00000000  01 02\n*\nfffffffe  01 02\n").contains("at most"));
    assert!(wrong("{0x1 <repeats 18446744073709551615 times>}").contains("at most"));
}

#[test]
fn the_order_of_words_is_said_and_can_be_chosen() {
    let text = "0x20000400: 7efe0001 deff4002\n";
    let little = all(text);
    assert_eq!(little.bytes, [1, 0, 0xFE, 0x7E, 2, 0x40, 0xFF, 0xDE]);
    assert!(little.remarks[0].contains("words of 4 bytes, least significant byte first"), "{:?}", little.remarks);
    let big = bytes(TextForm::HexBig, text);
    assert_eq!(big, Ok(vec![0x7E, 0xFE, 0, 1, 0xDE, 0xFF, 0x40, 2]));
    assert_eq!(bytes(TextForm::HexLittle, "0100 fe7e"), Ok(vec![0, 1, 0x7E, 0xFE]));
    // Groups without an address are read as written.
    let groups = all("0100 fe7e\n");
    assert_eq!(groups.bytes, [1, 0, 0xFE, 0x7E]);
    assert!(groups.remarks[0].contains("--input hex-le"), "{:?}", groups.remarks);
    assert_eq!(all("01 00\n").remarks, Vec::<String>::new());
}

#[test]
fn lines_without_data_are_left_out_and_said() {
    let banners =
        ["--- BEGIN OF TRACE BUFFER ---", "====== end of buffer ======", "Trace buffer begins", "-----", "###"];
    for banner in banners {
        let all = all(&format!("{banner}\n0102\n03\n{banner}\n"));
        assert_eq!(all.bytes, [1, 2, 3], "{banner}");
        assert_eq!(all.remarks, [format!("2 lines without data left out: 1 \"{banner}\", 4 \"{banner}\"")]);
        let text = format!("{banner}\r\naGVs\r\nbG8=\r\n{banner}");
        assert_eq!(bytes(TextForm::Base64, &text), Ok(b"hello".to_vec()), "{banner}");
    }
}

#[test]
fn base64_becomes_bytes_with_padding_and_without() {
    let base64 = |text: &str| bytes(TextForm::Base64, text);
    assert_eq!(base64("aGVsbG8="), Ok(b"hello".to_vec()));
    assert_eq!(base64("aGVs\nbG8"), Ok(b"hello".to_vec()));
    assert_eq!(base64("aGk=\r\naGk=\n"), Ok(b"hihi".to_vec()));
    assert_eq!(base64("+/8A"), Ok(vec![0xFB, 0xFF, 0]));
    assert_eq!(base64("-_8A"), Ok(vec![0xFB, 0xFF, 0]));
    assert_eq!(base64("aGVs\nbG!8").unwrap_err(), "line 2: \"!\" is not a base64 character: \"bG!8\"");
    assert_eq!(base64("aGVsb").unwrap_err(), "line 1: one character too many, or three too few");
    assert!(base64("a=").unwrap_err().starts_with("line 1: unexpected padding"));
    assert!(base64("aG=s").unwrap_err().starts_with("line 1: a character where padding is expected"));
}

#[test]
fn bytes_of_a_stream_come_with_their_lines() {
    let (mut decoder, mut all) = (TextDecoder::new(TextForm::Hex), All::default());
    for n in 0..10u8 {
        decoder.feed(format!("{n:02x} {n:02x}\n").as_bytes(), &mut all).unwrap();
        let known = if n < 2 { 0 } else { 2 * usize::from(n + 1) };
        assert_eq!(all.bytes.len(), known, "after line {}", n + 1);
    }
}

/// Fragments of tools' output, and of other texts.
fn fragment() -> impl Strategy<Value = String> {
    let fixed = [
        "00000000: ",
        "00000010  ",
        "0000020 ",
        "0x20000400 <a+8>:\t",
        "20000400 = ",
        "0x01",
        "0x7efe0001",
        "01 00 fe 7e ",
        "0100 fe7e",
        "  |....|",
        "*\n",
        "\n",
        "\r\n",
        "{",
        "}",
        "...",
        " <repeats 12 times>",
        " <repeats 99999999999 times>",
        "/*",
        "*/",
        "// ",
        ",",
        ":10000000",
        ":00000001FF\n",
        "S113",
        "S9030000FC\n",
        "I (100) t: ",
        "[12:31:00.000] ",
        " can0  123   [8] ",
        "(1.2) can0 123#01",
        "Time [s],Value\n",
        "0.1,0x01,,\n",
        "\u{FEFF}",
        "\u{0}",
        "é",
        "==",
        "AQD+fgJA\n",
        "a_len = 4;",
        "ffffffffffffffff ",
        "0",
        "g",
    ];
    prop_oneof![proptest::sample::select(fixed.to_vec()).prop_map(str::to_owned), "[0-9a-f \n]{0,12}", ".{0,6}"]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_text_is_read_or_refused_alike_in_any_pieces(
        fragments in prop::collection::vec(fragment(), 0..60),
        size in 1usize..40,
        form in prop::sample::select(vec![TextForm::Hex, TextForm::HexLittle, TextForm::HexBig, TextForm::Base64]),
    ) {
        let text = fragments.concat();
        let whole = decoded(form, text.as_bytes(), usize::MAX);
        prop_assert_eq!(&whole, &decoded(form, text.as_bytes(), size));
        let is_blank = text.trim_start_matches('\u{FEFF}').chars().all(char::is_whitespace);
        prop_assert!(is_blank || whole.1.is_err() || !whole.0.bytes.is_empty() || text.contains(['{', ':', 'S', 'c', ',']), "nothing came of {text:?}");
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..2000), size in 1usize..40) {
        for form in [TextForm::Hex, TextForm::Base64] {
            prop_assert_eq!(decoded(form, &bytes, usize::MAX), decoded(form, &bytes, size));
        }
        let _ = super::recognise("x", &bytes);
    }

    #[test]
    fn bytes_come_back_from_every_way_to_write_them(bytes in prop::collection::vec(prop_oneof![any::<u8>(), 0x20u8..0x7F], 16..400), style in 0usize..WRITERS.len()) {
        let text = WRITERS[style](&bytes);
        let (all, result) = decoded(TextForm::Hex, text.as_bytes(), usize::MAX);
        prop_assert_eq!(result, Ok(()), "{}", text);
        prop_assert_eq!(all.bytes, bytes, "{}", text);
        prop_assert!(all.missing.is_empty());
    }
}

type Writer = fn(&[u8]) -> String;

/// Ways to print bytes.
const WRITERS: [Writer; 8] = [
    |bytes| rows(bytes, 16, |at, row| format!("{at:08x}: {:<39}  {}\n", groups(row, 2), characters(row))),
    |bytes| rows(bytes, 16, |at, row| format!("{at:08x}: {:<35}  {}\n", groups(row, 4), characters(row))),
    |bytes| {
        rows(bytes, 16, |at, row| format!("{at:08x}  {:<48} |{}|\n", groups(row, 1), characters(row)))
            + &format!("{:08x}\n", bytes.len())
    },
    |bytes| rows(bytes, 16, |at, row| format!("{at:07o} {}\n", groups(row, 1))) + &format!("{:07o}\n", bytes.len()),
    |bytes| rows(bytes, 8, |at, row| format!("0x{at:x} <a+{at}>:\t0x{}\n", groups(row, 1).replace(' ', "\t0x"))),
    |bytes| format!("$1 = {{{}}}\n", bytes.iter().map(|byte| format!("{byte:#x}")).collect::<Vec<_>>().join(", ")),
    |bytes| rows(bytes, 10, |at, row| format!("[12:31:{:02}.{at:03}] {}\n", at / 60 % 60, groups(row, 1))),
    |bytes| rows(bytes, 20, |_, row| groups(row, 1).replace(' ', ":") + "\n"),
];

fn rows(bytes: &[u8], len: usize, row: impl Fn(usize, &[u8]) -> String) -> String {
    bytes.chunks(len).enumerate().map(|(n, bytes)| row(n * len, bytes)).collect()
}

fn groups(row: &[u8], size: usize) -> String {
    let group = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    row.chunks(size).map(group).collect::<Vec<_>>().join(" ")
}

fn characters(row: &[u8]) -> String {
    row.iter().map(|byte| if (0x20..0x7F).contains(byte) { char::from(*byte) } else { '.' }).collect()
}
