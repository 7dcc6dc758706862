//! What `--version` prints.

use std::sync::LazyLock;

use spytui_plugin_api::{API_MAJOR, API_MINOR};

use crate::demo;

/// Version, commit, plugin API and features of this build, a line each. `-V` prints the first one.
pub fn long() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| {
        format!(
            "{}\ncommit      {}\nplugin API  {API_MAJOR}.{API_MINOR}{}\nfeatures    {}",
            env!("CARGO_PKG_VERSION"),
            env!("BUILD_COMMIT"),
            if LOADS_PLUGINS { "" } else { "; a static binary can't load plugins" },
            features().join(" "),
        )
    });
    &TEXT
}

/// Whether this binary can load libraries.
const LOADS_PLUGINS: bool = cfg!(not(target_feature = "crt-static"));

/// What is built in.
fn features() -> Vec<&'static str> {
    let all = [("decoders", cfg!(feature = "decoders")), ("demo-target", demo::HAS_TARGET)];
    let list: Vec<&str> = all.into_iter().filter(|(_, is_built)| *is_built).map(|(name, _)| name).collect();
    if list.is_empty() { vec!["none"] } else { list }
}
