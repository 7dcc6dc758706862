//! Stamp, root module and export macro of plugin libraries.

use abi_stable::{
    StableAbi,
    library::RootModule,
    package_version_strings,
    sabi_types::VersionStrings,
    std_types::{RBoxError, RSlice, RStr},
};

use crate::{
    DecoderRef, FormatterRef,
    guard::{guard, install_hook},
};

/// Major version of this API. Plugins with another one are refused.
pub const API_MAJOR: u16 = 1;
/// Minor version of this API: the host accepts plugins up to this one.
pub const API_MINOR: u16 = 1;

/// First bytes of every stamp.
pub const MAGIC: [u8; 8] = *b"spytui\0\x01";

/// Plain data exported as `SPYTUI_PLUGIN_STAMP`, read before anything else in a library.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PluginStamp {
    /// [`MAGIC`].
    pub magic: [u8; 8],
    /// [`API_MAJOR`] of the plugin.
    pub major: u16,
    /// [`API_MINOR`] of the plugin.
    pub minor: u16,
    /// Version of the plugin's own crate, UTF-8, zero-filled.
    pub version: [u8; 20],
}

/// The stamp of a plugin with this crate version.
pub const fn stamp(version: &str) -> PluginStamp {
    let mut stamp = PluginStamp { magic: MAGIC, major: API_MAJOR, minor: API_MINOR, version: [0; 20] };
    let bytes = version.as_bytes();
    let mut i = 0;
    while i < bytes.len() && i < stamp.version.len() {
        stamp.version[i] = bytes[i];
        i += 1;
    }
    stamp
}

impl PluginStamp {
    /// Version of the plugin's own crate.
    pub fn version_text(&self) -> String {
        let end = self.version.iter().position(|&b| b == 0).unwrap_or(self.version.len());
        String::from_utf8_lossy(&self.version[..end]).into_owned()
    }

    /// Whether this host can load a plugin with this stamp.
    #[allow(clippy::absurd_extreme_comparisons, reason = "the minor version is 0 now")]
    pub const fn fits(&self) -> bool {
        self.major == API_MAJOR && self.minor <= API_MINOR
    }
}

/// Content of a plugin library.
#[repr(C)]
#[derive(StableAbi)]
#[sabi(kind(Prefix(prefix_ref = LibraryRef, prefix_fields = LibraryPrefix)))]
#[sabi(missing_field(panic))]
pub struct Library {
    /// Name of the library.
    pub name: RStr<'static>,
    /// Its decoders.
    pub decoders: RSlice<'static, DecoderRef>,
    /// Its formatters.
    #[sabi(last_prefix_field)]
    pub formatters: RSlice<'static, FormatterRef>,
}

impl RootModule for LibraryRef {
    abi_stable::declare_root_module_statics! {LibraryRef}
    const BASE_NAME: &'static str = "spytui_plugin";
    const NAME: &'static str = "spytui_plugin";
    const VERSION_STRINGS: VersionStrings = package_version_strings!();
}

impl std::fmt::Debug for LibraryRef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "LibraryRef({})", self.name())
    }
}

/// Calls `make` inside the panic guard.
#[doc(hidden)]
pub fn guarded_make(make: fn() -> LibraryRef) -> Result<LibraryRef, RBoxError> {
    install_hook();
    guard(|| Ok(make())).into_result().map_err(RBoxError::new)
}

/// The relevant line of a layout report, which may have thousands.
pub fn last_error(report: &str) -> String {
    let tail = report.rfind("Error:").map_or(report, |at| &report[at + "Error:".len()..]);
    tail.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Turns a crate into a spytui plugin. The argument is a function `fn() -> LibraryRef`.
///
/// Use it in a separate crate of type `cdylib`: decoders linked into one binary must not export the same symbols.
#[macro_export]
macro_rules! export_plugin {
    ($make:path) => {
        #[cfg(not(panic = "unwind"))]
        compile_error!("a spytui plugin must be built with panic = \"unwind\"");

        /// The host checks this before anything else.
        #[unsafe(no_mangle)]
        pub static SPYTUI_PLUGIN_STAMP: $crate::export::PluginStamp = $crate::export::stamp(env!("CARGO_PKG_VERSION"));

        /// The root module, protected by a layout check.
        #[unsafe(no_mangle)]
        pub static SPYTUI_PLUGIN_ROOT: $crate::re::LibHeader = {
            extern "C" fn make() -> $crate::re::RootModuleResult {
                $crate::re::__call_root_module_loader(|| $crate::export::guarded_make($make))
            }
            // SAFETY: `make` was just written for the same root module type.
            unsafe {
                $crate::re::LibHeader::from_constructor::<$crate::LibraryRef>(make, $crate::re::CheckTypeLayout::Yes)
            }
        };
    };
}

/// Creates a library with these decoders and formatters, lists of constants.
#[macro_export]
macro_rules! library {
    ($name:expr, decoders: [$($decoder:expr),* $(,)?] $(, formatters: [$($formatter:expr),* $(,)?])? $(,)?) => {{
        const DECODERS: &[$crate::DecoderRef] = &[$($decoder),*];
        const FORMATTERS: &[$crate::FormatterRef] = &[$($($formatter),*)?];
        const LIBRARY: &$crate::re::WithMetadata<$crate::Library> = &$crate::re::WithMetadata::new($crate::Library {
            name: $crate::RStr::from_str($name),
            decoders: $crate::RSlice::from_slice(DECODERS),
            formatters: $crate::RSlice::from_slice(FORMATTERS),
        });
        $crate::LibraryRef(LIBRARY.static_as_prefix())
    }};
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_fits_its_own_api_and_older_ones_of_its_major_version() {
        let mine = stamp("0.1.0");
        assert!(mine.fits());
        assert!((0..=API_MINOR).all(|minor| PluginStamp { minor, ..mine }.fits()));
        assert!(!PluginStamp { minor: API_MINOR + 1, ..mine }.fits());
        assert!(!PluginStamp { major: API_MAJOR + 1, ..mine }.fits());
        assert_eq!(&mine.version[..5], b"0.1.0");
    }

    #[test]
    fn a_report_shrinks_to_its_last_error() {
        assert_eq!(last_error("Error: one\n  at x\nError: two\n   words"), "two words");
        assert_eq!(last_error("plain"), "plain");
    }
}
