//! Names of error numbers.

use spytui_plugin_api::TextWriter;

use super::number;

/// Names of the numbers that all Unix systems have in common, from 1.
const NAMES: [&str; 34] = [
    "EPERM", "ENOENT", "ESRCH", "EINTR", "EIO", "ENXIO", "E2BIG", "ENOEXEC", "EBADF", "ECHILD", "EAGAIN", "ENOMEM",
    "EACCES", "EFAULT", "ENOTBLK", "EBUSY", "EEXIST", "EXDEV", "ENODEV", "ENOTDIR", "EISDIR", "EINVAL", "ENFILE",
    "EMFILE", "ENOTTY", "ETXTBSY", "EFBIG", "ENOSPC", "ESPIPE", "EROFS", "EMLINK", "EPIPE", "EDOM", "ERANGE",
];

/// The name of an error number.
pub(crate) fn name(errno: u32) -> Option<&'static str> {
    let at = usize::try_from(errno).ok()?.checked_sub(1)?;
    NAMES.get(at).copied()
}

/// Writes the name of an error number, or `errno 260`.
pub(super) fn put(line: &mut TextWriter<'_>, errno: u32) {
    match name(errno) {
        Some(name) => line.put(name.as_bytes()),
        None => {
            line.put(b"errno ");
            number::decimal(line, errno.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_names() {
        let text = |errno| String::from_utf8(TextWriter::text_of(|line| put(line, errno))).unwrap();
        assert_eq!(
            [0, 2, 4, 22, 34, 35, u32::MAX].map(text),
            ["errno 0", "ENOENT", "EINTR", "EINVAL", "ERANGE", "errno 35", "errno 4294967295",]
        );
    }
}
