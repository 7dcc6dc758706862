//! Results of `auto` for captures, complete, damaged and from the middle on, and for other files: a table of its
//! certainty, in which nothing may be taken for another protocol.

use std::{fmt::Write as _, path::Path};

use spytui_engine::{
    decode::guess::{DamagePattern, likely, pattern},
    io::link::{Restorer, Undo},
    open::{Options, Origin, Registry},
};
use spytui_plugin_host::kit::Random;
use spytui_plugin_layer::{Check, decoder};

use crate::fuzzing::fixture;

/// All built-in decoders, and the example of one on the authors' layer.
fn registry() -> Registry {
    let mut registry = fixture::registry();
    registry.add(spytui_plugin_api::library!("a5", decoders: [decoder::<a5::A5>()]), &Origin::BuiltIn).unwrap();
    registry
}

/// Captures of a decoder with at least 2 kB, by name.
fn captures(folder: &str) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../decoders").join(folder).join("tests/captures");
    let is_trace = |name: &str| [".bin", ".kev", ".log"].iter().any(|end| name.ends_with(end));
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_file());
    let named = files.map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), path));
    let mut captures: Vec<_> =
        named.filter(|(name, _)| is_trace(name)).map(|(n, p)| (n, std::fs::read(p).unwrap())).collect();
    captures.retain(|(_, bytes)| bytes.len() >= 2_000);
    // More would show nothing new.
    captures.iter_mut().for_each(|(_, bytes)| bytes.truncate(16_000));
    captures.sort();
    captures
}

/// A stream of the example decoder.
fn a5() -> Vec<u8> {
    let frame = |i: u8| {
        let content = [&(u32::from(i) * 10).to_le_bytes()[..], &[1, i, 0]].concat();
        let mut frame = [&[0xA5, content.len() as u8, 2, i][..], &content].concat();
        frame.push(Check::CRC8.of(&frame[1..]) as u8);
        frame
    };
    (0..=255).flat_map(frame).collect()
}

/// The decoder with the most evidence: `qs 99 %`, with `?` if it would not be used without asking; `-` = none.
fn guessed(registry: &Registry, sample: &[u8]) -> String {
    match likely(&registry.decoders, sample) {
        Some(found) => {
            format!("{} {} %{}", found.decoder.info.id, found.percent, if found.sure { "" } else { " ?" })
        }
        None => "-".to_owned(),
    }
}

#[test]
fn captures_are_recognised_and_nothing_is_taken_for_another_protocol() {
    let registry = registry();
    let mut table = format!("{:<34} {:<12} {:<12} {}\n", "", "whole", "damaged", "from the middle");
    let (mut wrong, mut right) = (Vec::new(), [0; 3]);
    let streams = [("qs", "qs"), ("rkh", "rkh-trazer"), ("tband", "tband"), ("qnx", "qnx")]
        .into_iter()
        .flat_map(|(proto, folder)| captures(folder).into_iter().map(move |(name, bytes)| (proto, name, bytes)))
        .chain([("a5", "a plugin's own".to_owned(), a5())]);
    let mut all = 0;
    for (proto, name, bytes) in streams {
        all += 1;
        let damaged = Random::new(bytes.len() as u64).damage(&bytes, bytes.len() / 2_000);
        let samples = [&bytes[..], &damaged, &bytes[bytes.len() / 2..]];
        let guesses = samples.map(|sample| guessed(&registry, sample));
        let _ =
            writeln!(table, "{:<34} {:<12} {:<12} {}", format!("{proto} {name}"), guesses[0], guesses[1], guesses[2]);
        for (i, guess) in guesses.iter().enumerate() {
            let is_sure = guess.ends_with('%');
            right[i] += usize::from(is_sure && guess.starts_with(&format!("{proto} ")));
            if is_sure && !guess.starts_with(&format!("{proto} ")) {
                wrong.push(format!("{name}: {guess}"));
            }
        }
    }
    let _ = writeln!(table, "{:<34} {:<12} {:<12} {}", format!("sure of {all}"), right[0], right[1], right[2]);
    let program = std::fs::read(std::env::current_exe().unwrap()).unwrap();
    let noise = Random::new(7).bytes(30_000);
    let text = "The quick brown fox jumps over the lazy dog, 42 times.\r\n".repeat(500);
    let base64: String = noise.iter().map(|byte| char::from(b'A' + byte % 26)).collect();
    let nothing: [(&str, &[u8]); 7] = [
        ("random bytes", &noise),
        ("text", text.as_bytes()),
        ("letters without a space", base64.as_bytes()),
        ("zeros", &[0; 20_000]),
        ("bytes of 0xFF", &[0xFF; 20_000]),
        ("an ELF file", &program[..program.len().min(60_000)]),
        ("nothing", &[]),
    ];
    for (name, bytes) in nothing {
        let guess = guessed(&registry, bytes);
        // The doubt about a program depends on its compiler.
        let shown = if name == "an ELF file" && !guess.ends_with('%') { "not sure of any" } else { &guess };
        let _ = writeln!(table, "{name:<34} {shown}");
        if guess.ends_with('%') {
            wrong.push(format!("{name}: {guess}"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new(), "{table}");
    insta::assert_snapshot!(table);
}

/// Systematic changes of bytes are recognised, whatever the protocol; single damaged bytes are no pattern.
#[test]
fn damage_with_a_pattern_is_named() {
    let registry = registry();
    let captures = [
        ("qs", "qs/tests/captures/oven-734.bin"),
        ("rkh", "rkh-trazer/tests/captures/gh340-default.bin"),
        ("tband", "tband/tests/captures/boiler_basic.bin"),
    ];
    for (id, path) in captures {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../decoders").join(path);
        let mut sent = std::fs::read(path).unwrap();
        sent.truncate(16_000);
        let each = |of: &dyn Fn(u8) -> Vec<u8>| sent.iter().flat_map(|&byte| of(byte)).collect::<Vec<u8>>();
        let all_but = |gone: &[u8]| each(&|byte| if gone.contains(&byte) { vec![] } else { vec![byte] });
        let crlf = each(&|byte| if byte == b'\n' { vec![b'\r', b'\n'] } else { vec![byte] });
        let utf8 = each(&|byte| char::from(byte).to_string().into_bytes());
        for (undo, changed) in [(Undo::CrLf, &crlf), (Undo::Utf8, &utf8)] {
            let (mut restorer, mut restored) = (Restorer::new(undo), Vec::new());
            restorer.feed(changed, &mut restored).unwrap();
            restorer.finish(&mut restored);
            assert!(restored == sent, "{id} {undo:?}");
        }
        let flipped: Vec<u8> =
            sent.iter().enumerate().map(|(at, byte)| if at % 201 == 100 { byte ^ 0x10 } else { *byte }).collect();
        let decoder = registry.find(id).unwrap();
        let found = |bytes: &[u8]| pattern(&decoder, &Options::default(), bytes);
        let changed = [
            (Some(DamagePattern::Undoable(Undo::CrLf)), crlf),
            (Some(DamagePattern::Undoable(Undo::Utf8)), utf8),
            (Some(DamagePattern::Replaced), String::from_utf8_lossy(&sent).into_owned().into_bytes()),
            (Some(DamagePattern::SevenBits), each(&|byte| vec![byte & 0x7F])),
            (Some(DamagePattern::FlowControl), all_but(&[0x11, 0x13])),
            (Some(DamagePattern::CrToLf), each(&|byte| vec![if byte == b'\r' { b'\n' } else { byte }])),
            (None, flipped),
            (None, sent.clone()),
        ];
        for (expected, bytes) in changed {
            assert_eq!(found(&bytes), expected, "{id}");
        }
    }
}

/// The line ends belong to a text that the target printed during its reset.
#[test]
fn line_ends_of_a_text_are_no_damage() {
    let session: &[u8] = b"\
        \x01\x00\xfe\x7e\x02\x40\xff\xde\x02\x22\x41\x22\x44\x04\x08\x13\x00\x00\x0c\x01\x01\x19\xcf\x7e\x03\x46\
        \xb6\x7e\x04\x08\xf2\x03\x00\x00\x05\x00\x00\x10\x00\x20\x01\x10\x00\x08\xb0\x7e\x05\x08\xfc\x03\x00\x00\
        \x05\x00\x00\x10\x00\x20\x01\x10\x00\x08\xa5\x7e";
    let text = b"\r\nMPU FAULT at 0x08001234\r\n";
    let sent = [session, b"\x06\x08\x06\x04\x00\x00", text, session].concat();
    let decoder = registry().find("qs").unwrap();
    assert_eq!(pattern(&decoder, &Options::default(), &sent), None);
}
