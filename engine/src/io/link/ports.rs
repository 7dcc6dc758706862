//! Lists the serial ports of this machine, for `spytui ports` and for messages.

use std::fs;
use std::path::{Path, PathBuf};

use serialport::{SerialPortInfo, SerialPortType, UsbPortInfo};

use super::port_owners::{PortOwner, port_owners};

/// An existing serial port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Port {
    /// The device, `/dev/ttyUSB0`.
    pub path: PathBuf,
    /// Stable names, `/dev/serial/by-id/…`.
    pub by_id: Vec<PathBuf>,
    /// Manufacturer, product and ids of a USB device, or the bus.
    pub description: String,
    /// Other programs that have it open, as far as this user can see them.
    pub in_use: Vec<PortOwner>,
}

/// All serial ports, sorted by name.
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
    let numbers = format!("{:04x}:{:04x}", usb.vid, usb.pid);
    match &usb.serial_number {
        Some(serial) if name.is_empty() => format!("USB {numbers}, no. {serial}"),
        Some(serial) => format!("{}, {numbers}, no. {serial}", name.join(" ")),
        None if name.is_empty() => format!("USB {numbers}"),
        None => format!("{}, {numbers}", name.join(" ")),
    }
}

/// Names in `/dev/serial/by-id` that point to `path`.
pub(super) fn stable_names(path: &Path) -> Vec<PathBuf> {
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
}
