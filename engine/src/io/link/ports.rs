//! Serial ports: lists them, finds out which programs have one open, and identifies devices.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serialport::{SerialPortInfo, SerialPortType, UsbPortInfo};

use crate::io::sys::{Ownership, may_open, ownership};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Port {
    pub path: PathBuf,
    /// Stable names, `/dev/serial/by-id/…`.
    pub by_id: Vec<PathBuf>,
    /// Manufacturer, product and ids of a USB device; otherwise the bus.
    pub description: String,
    /// Other programs that have it open, as far as this user can see them.
    pub in_use: Vec<PortOwner>,
}

pub fn ports() -> Vec<Port> {
    let ports = present().into_iter().map(|info| {
        let path = PathBuf::from(&info.port_name);
        let description = describe(&info.port_type);
        Port { by_id: stable_names(&path), in_use: port_owners(&path), description, path }
    });
    ports.collect()
}

fn present() -> Vec<SerialPortInfo> {
    // The library panics if there is no such folder (containers).
    if cfg!(target_os = "linux") && !Path::new("/sys/class/tty").is_dir() {
        return Vec::new();
    }
    let mut found = serialport::available_ports().unwrap_or_default();
    found.sort_by(|a, b| a.port_name.cmp(&b.port_name));
    found.dedup_by(|a, b| a.port_name == b.port_name);
    found
}

fn describe(kind: &SerialPortType) -> String {
    match kind {
        SerialPortType::UsbPort(usb) => describe_usb(usb),
        SerialPortType::PciPort => "PCI".into(),
        SerialPortType::BluetoothPort => "Bluetooth".into(),
        SerialPortType::Unknown => "on board".into(),
    }
}

fn describe_usb(usb: &UsbPortInfo) -> String {
    let name: Vec<&str> = [&usb.manufacturer, &usb.product].into_iter().flatten().map(String::as_str).collect();
    let name = if name.is_empty() { "USB ".to_owned() } else { format!("{}, ", name.join(" ")) };
    let serial = usb.serial_number.as_ref().map(|serial| format!(", no. {serial}")).unwrap_or_default();
    format!("{name}{:04x}:{:04x}{serial}", usb.vid, usb.pid)
}

/// Names in `/dev/serial/by-id` that point to `path`.
fn stable_names(path: &Path) -> Vec<PathBuf> {
    names_leading_to(Path::new("/dev/serial/by-id"), path)
}

fn names_leading_to(folder: &Path, path: &Path) -> Vec<PathBuf> {
    let (Ok(real), Ok(entries)) = (path.canonicalize(), fs::read_dir(folder)) else { return Vec::new() };
    let links = entries.flatten().map(|entry| entry.path());
    let mut names: Vec<PathBuf> = links.filter(|link| link.canonicalize().is_ok_and(|to| to == real)).collect();
    names.sort();
    names
}

/// Message for a missing port, without the next step.
pub(super) fn missing_text(path: &Path) -> String {
    let present: Vec<String> = present().iter().map(short).collect();
    let present = if present.is_empty() { "no serial port".into() } else { present.join(", ") };
    format!("{} does not exist. Present: {present}.", path.display())
}

fn short(port: &SerialPortInfo) -> String {
    let name = Path::new(&port.port_name).file_name().unwrap_or_default().to_string_lossy();
    format!("{name} ({})", describe(&port.port_type))
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PortOwner {
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

/// Who may open a port and whether this user may; if not, also the next step. The port is not opened.
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

pub(super) fn in_use_text(path: &Path) -> String {
    let holder = port_owners(path).first().map_or_else(|| "another program".to_owned(), PortOwner::to_string);
    format!("{} is in use by {holder}. Close it, or open another port.", path.display())
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct DeviceIdentity {
    /// First name of the device in `/dev/serial/by-id`.
    pub(super) by_id: Option<PathBuf>,
    /// Vendor, product and serial number of a USB device.
    usb: Option<UsbNumbers>,
    /// Position on the bus.
    place: Option<PathBuf>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct UsbNumbers {
    model: (String, String),
    serial: Option<String>,
}

impl DeviceIdentity {
    pub(super) fn of(path: &Path) -> DeviceIdentity {
        let by_id = stable_names(path).into_iter().next();
        DeviceIdentity { by_id, ..DeviceIdentity::from_tables(Path::new("/sys"), path) }
    }

    /// Reads the identity from the system's device tables.
    fn from_tables(tables: &Path, path: &Path) -> DeviceIdentity {
        let real = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        let name = real.file_name().unwrap_or_default();
        let Ok(device) = tables.join("class/tty").join(name).join("device").canonicalize() else {
            return DeviceIdentity::default();
        };
        let read = |folder: &Path, name: &str| fs::read_to_string(folder.join(name)).ok().map(|s| s.trim().to_owned());
        let numbers = |folder: &Path| {
            let model = (read(folder, "idVendor")?, read(folder, "idProduct")?);
            Some(UsbNumbers { model, serial: read(folder, "serial").filter(|serial| !serial.is_empty()) })
        };
        // The USB device is above the interface; below the interface are names that change.
        for interface in device.ancestors() {
            if let Some(usb) = interface.parent().and_then(numbers) {
                return DeviceIdentity { by_id: None, usb: Some(usb), place: Some(interface.to_path_buf()) };
            }
        }
        DeviceIdentity { by_id: None, usb: None, place: Some(device) }
    }

    /// Whether it is the same device; `None` if the system can't say.
    pub(super) fn is_same(&self, other: &DeviceIdentity) -> Option<bool> {
        if let (Some(a), Some(b)) = (&self.usb, &other.usb) {
            if a != b {
                return Some(false);
            }
            if a.serial.is_some() && self.by_id == other.by_id {
                return Some(true);
            }
        }
        // Devices without a serial number share names by id, so their position decides.
        let by_id = self.by_id.as_ref().zip(other.by_id.as_ref()).map(|(a, b)| a == b);
        let place = self.place.as_ref().zip(other.place.as_ref()).map(|(a, b)| a == b);
        [by_id, place].into_iter().flatten().reduce(|a, b| a && b)
    }

    pub(super) fn words(&self) -> String {
        let last = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        match (&self.usb, &self.by_id, &self.place) {
            (Some(UsbNumbers { model: (vendor, product), serial: Some(serial) }), ..) => {
                format!("{vendor}:{product}, no. {serial}")
            }
            (_, Some(name), _) => last(name),
            (Some(UsbNumbers { model: (vendor, product), .. }), _, Some(place)) => {
                format!("{vendor}:{product} at {}", last(place))
            }
            (_, _, Some(place)) => last(place),
            _ => "unknown".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listing_never_fails() {
        for port in ports() {
            assert!(port.path.is_absolute());
        }
    }

    #[test]
    fn usb_devices_are_described_by_what_is_known() {
        let mut usb = UsbPortInfo { vid: 0x0483, pid: 0x374b, serial_number: None, manufacturer: None, product: None };
        assert_eq!(describe_usb(&usb), "USB 0483:374b");
        usb.product = Some("STLink".into());
        assert_eq!(describe_usb(&usb), "STLink, 0483:374b");
        usb.serial_number = Some("066B".into());
        assert_eq!(describe_usb(&usb), "STLink, 0483:374b, no. 066B");
    }

    #[test]
    fn stable_names_are_the_links_that_lead_there() {
        let dir = tempfile::tempdir().unwrap();
        let device = dir.path().join("ttyX");
        fs::write(&device, b"").unwrap();
        let by_id = dir.path().join("by-id");
        fs::create_dir(&by_id).unwrap();
        std::os::unix::fs::symlink("../ttyX", by_id.join("usb-Maker_Board_1-if00")).unwrap();
        std::os::unix::fs::symlink("../other", by_id.join("usb-gone")).unwrap();
        assert_eq!(names_leading_to(&by_id, &device), [by_id.join("usb-Maker_Board_1-if00")]);
    }

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

    /// Device tables with a USB device at a position, with or without a serial number.
    fn tables(root: &Path, tty: &str, place: &str, product: &str, serial: Option<&str>) -> DeviceIdentity {
        let usb = root.join("devices/usb1").join(place);
        let interface = usb.join(format!("{place}:1.0"));
        fs::create_dir_all(interface.join(tty)).unwrap();
        fs::write(usb.join("idVendor"), "0483\n").unwrap();
        fs::write(usb.join("idProduct"), format!("{product}\n")).unwrap();
        let _ = fs::remove_file(usb.join("serial"));
        if let Some(serial) = serial {
            fs::write(usb.join("serial"), format!("{serial}\n")).unwrap();
        }
        let class = root.join("class/tty").join(tty);
        fs::create_dir_all(&class).unwrap();
        let _ = fs::remove_file(class.join("device"));
        std::os::unix::fs::symlink(interface.join(tty), class.join("device")).unwrap();
        DeviceIdentity::from_tables(root, &Path::new("/dev").join(tty))
    }

    #[test]
    fn boards_are_distinguished_by_number_then_by_place() {
        let root = tempfile::tempdir().unwrap();
        let device = |tty, place, product, serial| tables(root.path(), tty, place, product, serial);
        let first = device("ttyUSB0", "1-1", "374b", Some("066B"));
        assert_eq!(first.words(), "0483:374b, no. 066B");
        assert_eq!(first.is_same(&device("ttyUSB1", "1-2", "374b", Some("066B"))), Some(true), "moved");
        assert_eq!(first.is_same(&device("ttyUSB0", "1-1", "374b", Some("067C"))), Some(false));
        assert_eq!(first.is_same(&device("ttyUSB0", "1-1", "374e", Some("066B"))), Some(false), "other model");
        let plain = device("ttyUSB0", "1-1", "7523", None);
        assert_eq!(first.is_same(&plain), Some(false));
        assert_eq!(plain.words(), "0483:7523 at 1-1:1.0");
        assert_eq!(plain.is_same(&device("ttyUSB3", "1-1", "7523", None)), Some(true));
        assert_eq!(plain.is_same(&device("ttyUSB0", "1-4", "7523", None)), Some(false));
        let none = DeviceIdentity::from_tables(root.path(), Path::new("/dev/pts/7"));
        assert_eq!((none.is_same(&none), none.words()), (None, "unknown".into()));
    }
}
