//! What distinguishes a serial device from another one that has the same name now: name by id, USB numbers, place on the bus.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::ports::stable_names;

/// Identity of a serial device, as far as the system knows it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct DeviceIdentity {
    /// Its first name in `/dev/serial/by-id`.
    pub(super) by_id: Option<PathBuf>,
    /// Vendor, product and serial number of a USB device.
    usb: Option<UsbNumbers>,
    /// Where it is on the bus.
    place: Option<PathBuf>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct UsbNumbers {
    model: (String, String),
    serial: Option<String>,
}

/// How two devices relate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sameness {
    Same,
    Other,
    /// The system does not say.
    Unknown,
}

impl DeviceIdentity {
    /// Identity of the device at `path`.
    pub(super) fn of(path: &Path) -> DeviceIdentity {
        let by_id = stable_names(path).into_iter().next();
        DeviceIdentity { by_id, ..DeviceIdentity::from_tables(Path::new("/sys"), path) }
    }

    /// What the system's tables of devices say.
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
        // The interface is below the USB device; what is below the interface has the name that changes.
        for interface in device.ancestors() {
            if let Some(usb) = interface.parent().and_then(numbers) {
                return DeviceIdentity { by_id: None, usb: Some(usb), place: Some(interface.to_path_buf()) };
            }
        }
        DeviceIdentity { by_id: None, usb: None, place: Some(device) }
    }

    /// Whether `other` is the same device.
    pub(super) fn compare(&self, other: &DeviceIdentity) -> Sameness {
        if let (Some(a), Some(b)) = (&self.usb, &other.usb) {
            if a.model != b.model || a.serial.is_some() != b.serial.is_some() {
                return Sameness::Other;
            }
            if a.serial.is_some() && a.serial != b.serial {
                return Sameness::Other;
            }
            if a.serial.is_some() && self.by_id == other.by_id {
                return Sameness::Same;
            }
        }
        // Devices without a serial number share names by id, so their place decides.
        match ((&self.by_id, &other.by_id), (&self.place, &other.place)) {
            ((Some(a), Some(b)), _) if a != b => Sameness::Other,
            (_, (Some(a), Some(b))) if a != b => Sameness::Other,
            ((Some(_), Some(_)), _) | (_, (Some(_), Some(_))) => Sameness::Same,
            _ => Sameness::Unknown,
        }
    }

    /// In words: its serial number, or its place.
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

    /// Tables with a USB device at a place, with a serial number or without.
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
        assert_eq!(first.compare(&device("ttyUSB1", "1-2", "374b", Some("066B"))), Sameness::Same, "moved");
        assert_eq!(first.compare(&device("ttyUSB0", "1-1", "374b", Some("067C"))), Sameness::Other);
        assert_eq!(first.compare(&device("ttyUSB0", "1-1", "374e", Some("066B"))), Sameness::Other, "other model");
        let plain = device("ttyUSB0", "1-1", "7523", None);
        assert_eq!(first.compare(&plain), Sameness::Other);
        assert_eq!(plain.words(), "0483:7523 at 1-1:1.0");
        assert_eq!(plain.compare(&device("ttyUSB3", "1-1", "7523", None)), Sameness::Same);
        assert_eq!(plain.compare(&device("ttyUSB0", "1-4", "7523", None)), Sameness::Other);
        let none = DeviceIdentity::from_tables(root.path(), Path::new("/dev/pts/7"));
        assert_eq!((none.compare(&none), none.words()), (Sameness::Unknown, "unknown".into()));
    }
}
