//! Finds the processes that have a device open, and its permissions, for error messages.

use std::fs;
use std::path::Path;

use crate::io::sys::{Ownership, may_open, ownership};

/// A process that has a file open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PortOwner {
    /// Process number.
    pub pid: u32,
    pub name: String,
}

impl std::fmt::Display for PortOwner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} (pid {})", self.name, self.pid)
    }
}

/// Other processes that have `path` open, as far as this user can see them.
pub fn port_owners(path: &Path) -> Vec<PortOwner> {
    let Ok(real) = path.canonicalize() else { return Vec::new() };
    let Ok(processes) = fs::read_dir("/proc") else { return Vec::new() };
    let own = std::process::id();
    processes
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok())
        .filter(|pid| *pid != own && holds(*pid, &real))
        .map(|pid| PortOwner { pid, name: process_name(pid) })
        .collect()
}

fn holds(pid: u32, real: &Path) -> bool {
    let Ok(open) = fs::read_dir(format!("/proc/{pid}/fd")) else { return false };
    open.flatten().any(|entry| fs::read_link(entry.path()).is_ok_and(|target| target == real))
}

fn process_name(pid: u32) -> String {
    let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    if name.trim().is_empty() { "a program".into() } else { name.trim().into() }
}

/// Who may open a port, and whether this user may; if not, with the next step. The port is not opened.
pub fn port_rights(path: &Path) -> String {
    let Ok(meta) = path.metadata() else { return "it is gone".to_owned() };
    let groups = fs::read_to_string("/etc/group").unwrap_or_default();
    let Ownership { group, mode, .. } = ownership(&meta);
    let group = group_entry(&groups, group).map_or_else(|| group.to_string(), |(name, _)| name.to_owned());
    let rights = format!("mode {:03o}, group {group}", mode & 0o777);
    if may_open(path) { format!("{rights}: may be opened") } else { format!("{rights}: {}", permission_text(path)) }
}

/// Message for a denied permission, with the next step.
pub(super) fn permission_text(path: &Path) -> String {
    let shown = path.display();
    let Ok(meta) = path.metadata() else { return format!("{shown}: permission denied.") };
    let groups = fs::read_to_string("/etc/group").unwrap_or_default();
    let user = std::env::var("USER").unwrap_or_default();
    let Ownership { group, is_in_group, mode } = ownership(&meta);
    group_text(&shown.to_string(), group, mode, &groups, &user, is_in_group)
}

fn group_text(path: &str, gid: u32, mode: u32, groups: &str, user: &str, is_mine: bool) -> String {
    let Some((group, members)) = group_entry(groups, gid) else {
        return format!("{path}: permission denied; it belongs to group {gid}.");
    };
    if mode & 0o060 != 0o060 || gid == 0 {
        return format!("{path}: permission denied; only its owner may read and write it.");
    }
    if is_mine {
        return format!("{path}: permission denied, although you are in its group {group}.");
    }
    if members.contains(&user) {
        return format!("{path}: permission denied; you are in its group {group} since a moment ago: log in again.");
    }
    format!(
        "{path}: permission denied; it belongs to group {group} and you are not in it: \
         sudo usermod -aG {group} $USER, log in again."
    )
}

fn group_entry(groups: &str, gid: u32) -> Option<(&str, Vec<&str>)> {
    groups.lines().find_map(|line| {
        let mut parts = line.split(':');
        let (name, _, id, members) = (parts.next()?, parts.next()?, parts.next()?, parts.next().unwrap_or(""));
        (id.parse() == Ok(gid)).then(|| (name, members.split(',').collect()))
    })
}

/// Message for a device that another program uses exclusively.
pub(super) fn in_use_text(path: &Path) -> String {
    let shown = path.display();
    match port_owners(path).first() {
        Some(holder) => format!("{shown} is in use by {holder}. Close it, or open another port."),
        None => format!("{shown} is in use by another program. Close it, or open another port."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GROUPS: &str = "root:x:0:\ndialout:x:20:ann,bob\n";

    #[test]
    fn the_group_that_may_open_it_is_named() {
        let text = |user: &str, is_mine| group_text("/dev/ttyUSB0", 20, 0o660, GROUPS, user, is_mine);
        assert_eq!(
            text("eve", false),
            "/dev/ttyUSB0: permission denied; it belongs to group dialout and you are not in it: \
             sudo usermod -aG dialout $USER, log in again."
        );
        assert!(text("bob", false).ends_with("log in again.") && text("bob", false).contains("since a moment"));
        assert!(text("bob", true).contains("although"));
        assert!(group_text("/dev/x", 0, 0o600, GROUPS, "eve", false).contains("only its owner"));
        assert!(group_text("/dev/x", 99, 0o660, GROUPS, "eve", false).contains("group 99"));
    }

    #[test]
    fn a_process_that_has_a_file_open_is_found() {
        let file = tempfile::NamedTempFile::new().unwrap();
        assert!(port_owners(file.path()).is_empty(), "this process itself does not count");
        let mut child = std::process::Command::new("sleep")
            .arg("60")
            .stdin(std::process::Stdio::from(file.reopen().unwrap()))
            .spawn()
            .unwrap();
        let mut found = port_owners(file.path());
        for _ in 0..1000 {
            if found.first().is_some_and(|h| h.name == "sleep") {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(1));
            found = port_owners(file.path());
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(found, [PortOwner { pid: child.id(), name: "sleep".into() }]);
    }
}
