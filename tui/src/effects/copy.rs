//! Copied text: to the terminal by OSC 52, to tmux where that is between, and always to a file.

use std::{
    fs::OpenOptions,
    io::{self, Write},
    path::Path,
    process::{Command, Stdio},
};

use crate::{
    config::{Config, state_file},
    model::Message,
    sys::open_private,
    term::Output,
};

/// Longer texts are not sent through the terminal.
const MOST: usize = 100_000;

/// Copies text; the message says where it went.
pub(super) fn copy(output: Option<&mut Output>, config: &Config, what: String, text: &str) -> io::Result<Message> {
    let mut places = Vec::new();
    if let Some(output) = output.filter(|_| config.on("copy.osc52") && text.len() <= MOST) {
        output.terminal().write(format!("\x1b]52;c;{}\x07", base64(text.as_bytes())).as_bytes())?;
        places.push("the terminal".to_owned());
    }
    if config.on("copy.tmux") && std::env::var_os("TMUX").is_some() && to_tmux(text).is_ok() {
        places.push("tmux".to_owned());
    }
    if config.on("copy.file")
        && let Some(path) = state_file("last-copy.txt")
        && keep(&path, text).is_ok()
    {
        places.push(path.display().to_string());
    }
    Ok(Message::Copied { what, places })
}

fn keep(path: &Path, text: &str) -> io::Result<()> {
    let mut file = open_private(OpenOptions::new().write(true).create(true).truncate(true), path)?;
    file.write_all(text.as_bytes())
}

fn to_tmux(text: &str) -> io::Result<()> {
    let mut child = Command::new("tmux")
        .args(["load-buffer", "-w", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(text.as_bytes())?;
    }
    child.wait().map(|_| ())
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let word = chunk.iter().fold(0_u32, |w, &b| w << 8 | u32::from(b)) << (8 * (3 - chunk.len()));
        for i in 0..4 {
            let digit = if i <= chunk.len() { char::from(DIGITS[(word >> (18 - 6 * i)) as usize & 63]) } else { '=' };
            out.push(digit);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn base64_is_padded() {
        assert_eq!(super::base64(b"f"), "Zg==");
        assert_eq!(super::base64(b"fo"), "Zm8=");
        assert_eq!(super::base64(b"foo"), "Zm9v");
    }
}
