//! Files that change while being read, without a screen.

use std::{
    fs::File,
    io::{Read, Write},
    path::Path,
    process::Stdio,
};

use crate::{
    lines::command,
    rig::{bytes_of, folder},
};

/// Repeats of a capture: enough that the program is still reading it when its rows are read.
const TIMES: usize = 100;

/// Exit code and stderr of a run during which `change` happens to its input.
fn read_while(words: &[&str], change: impl Fn(&Path)) -> (i32, String) {
    let folder = folder();
    let path = folder.path().join("run.bin");
    std::fs::write(&path, bytes_of("oven-734.bin").repeat(TIMES)).unwrap();
    let mut child = command([words, &["--proto", "qs", path.to_str().unwrap()]].concat());
    let mut child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut rows = child.stdout.take().unwrap();
    rows.read_exact(&mut [0; 1000]).unwrap();
    change(&path);
    rows.read_to_end(&mut Vec::new()).unwrap();
    let output = child.wait_with_output().unwrap();
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap().replace(path.to_str().unwrap(), "PATH"))
}

const COMMANDS: [&[&str]; 2] = [&["decode"], &["--headless"]];

#[test]
fn a_file_that_is_overwritten_while_it_is_read_is_an_input_error() {
    for words in COMMANDS {
        let (code, said) = read_while(words, |path| {
            let mut file = File::options().write(true).open(path).unwrap();
            file.write_all(&bytes_of("oven-815.bin").repeat(TIMES)).unwrap();
        });
        let reported = "spytui: PATH was overwritten while it was read: its rows can't be trusted; read it again.\n";
        assert_eq!((code, said.as_str()), (3, reported), "{words:?}");
    }
}

#[test]
fn a_file_that_is_cut_while_it_is_read_is_an_input_error() {
    for words in COMMANDS {
        let (code, said) =
            read_while(words, |path| File::options().write(true).open(path).unwrap().set_len(9).unwrap());
        let reported = "spytui: PATH was cut from 5 698 600 to 9 bytes while it was read: its rows can't be trusted; read it again.\n";
        assert_eq!((code, said.as_str()), (3, reported), "{words:?}");
    }
}

#[test]
fn a_file_that_grows_while_it_is_read_is_none() {
    for words in COMMANDS {
        let (code, said) = read_while(words, |path| {
            File::options().append(true).open(path).unwrap().write_all(b"more").unwrap();
        });
        assert_eq!((code, said.as_str()), (0, ""), "{words:?}");
    }
}
