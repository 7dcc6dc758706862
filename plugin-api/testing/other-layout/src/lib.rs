//! A plugin library with a valid stamp but a different layout of its root module, as if built against a plugin API that
//! changed without a new version.

use abi_stable::{
    StableAbi, library::RootModule, package_version_strings, prefix_type::WithMetadata, sabi_types::VersionStrings,
};
use spytui_plugin_api::{
    RSlice, RStr,
    export::{PluginStamp, stamp},
    re::{CheckTypeLayout, LibHeader, RootModuleResult},
};

/// The root module, with a list of numbers instead of decoders.
#[repr(C)]
#[derive(StableAbi)]
#[sabi(kind(Prefix(prefix_ref = LibraryRef, prefix_fields = LibraryPrefix)))]
#[sabi(missing_field(panic))]
pub struct Library {
    /// Name of the library.
    pub name: RStr<'static>,
    /// Not decoders.
    #[sabi(last_prefix_field)]
    pub decoders: RSlice<'static, u64>,
}

impl RootModule for LibraryRef {
    abi_stable::declare_root_module_statics! {LibraryRef}
    const BASE_NAME: &'static str = "spytui_plugin";
    const NAME: &'static str = "spytui_plugin";
    const VERSION_STRINGS: VersionStrings = package_version_strings!();
}

const LIBRARY: &WithMetadata<Library> =
    &WithMetadata::new(Library { name: RStr::from_str("changed"), decoders: RSlice::EMPTY });

fn library() -> LibraryRef {
    LibraryRef(LIBRARY.static_as_prefix())
}

/// The stamp of this API.
#[unsafe(no_mangle)]
pub static SPYTUI_PLUGIN_STAMP: PluginStamp = stamp(env!("CARGO_PKG_VERSION"));

/// The modified root module, protected by the layout check.
#[unsafe(no_mangle)]
pub static SPYTUI_PLUGIN_ROOT: LibHeader = {
    extern "C" fn make() -> RootModuleResult {
        spytui_plugin_api::re::__call_root_module_loader(library)
    }
    // SAFETY: `make` was just written for the same root module type.
    unsafe { LibHeader::from_constructor::<LibraryRef>(make, CheckTypeLayout::Yes) }
};
