//! Names of fields, with what makes a number readable.

/// Name of a field, with what makes its number readable.
///
/// ```
/// use spytui_plugin_api::simple::{Named, named};
///
/// const RPM: Named = named("rpm").scale(0.1).unit("rpm");
/// const MODE: Named = named("mode").words(&[(0, "off"), (1, "run"), (7, "fault")]);
/// const FLAGS: Named = named("flags").bits(&[(0, "brake"), (1, "hot")]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Named {
    pub(super) name: &'static str,
    pub(super) unit: &'static str,
    pub(super) scale: Option<f64>,
    pub(super) words: &'static [(u64, &'static str)],
    pub(super) bits: &'static [(u32, &'static str)],
    pub(super) is_hex: bool,
}

/// A field with this name.
#[must_use]
pub const fn named(name: &'static str) -> Named {
    Named { name, unit: "", scale: None, words: &[], bits: &[], is_hex: false }
}

impl Named {
    /// The same with a unit behind its number.
    #[must_use]
    pub const fn unit(self, unit: &'static str) -> Named {
        Named { unit, ..self }
    }

    /// The same, its number multiplied by this.
    #[must_use]
    pub const fn scale(self, scale: f64) -> Named {
        Named { scale: Some(scale), ..self }
    }

    /// The same with words for its numbers: an enumeration.
    #[must_use]
    pub const fn words(self, words: &'static [(u64, &'static str)]) -> Named {
        Named { words, ..self }
    }

    /// The same with words for its bits, from 0.
    #[must_use]
    pub const fn bits(self, bits: &'static [(u32, &'static str)]) -> Named {
        Named { bits, ..self }
    }

    /// The same, shown as hexadecimal, as an address.
    #[must_use]
    pub const fn hex(self) -> Named {
        Named { is_hex: true, ..self }
    }
}

impl From<&'static str> for Named {
    fn from(name: &'static str) -> Named {
        named(name)
    }
}
