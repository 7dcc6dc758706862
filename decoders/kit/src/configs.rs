//! Registry of the configurations reported to the host, and their ids in rows.

use std::sync::Arc;

use spytui_plugin_api::Output;

/// Maximum number of configurations.
const MOST: usize = 0xFFFF;

/// The configurations reported so far, as blobs of `N` bytes.
#[derive(Clone, Debug, Default)]
pub struct ConfigRegistry<const N: usize> {
    blobs: Arc<Vec<[u8; N]>>,
}

impl<const N: usize> ConfigRegistry<N> {
    /// The id of a configuration; a new one is reported to the host. `None` if no id is left.
    pub fn id(&mut self, blob: [u8; N], out: &mut Output<'_>) -> Option<u16> {
        if let Some(known) = self.blobs.iter().position(|b| *b == blob) {
            return u16::try_from(known).ok();
        }
        let id = u16::try_from(self.blobs.len()).ok().filter(|id| usize::from(*id) < MOST)?;
        Arc::make_mut(&mut self.blobs).push(blob);
        out.cfg(id, &blob);
        Some(id)
    }
}

#[cfg(test)]
mod tests {
    use spytui_plugin_api::Batch;

    use super::*;

    #[test]
    fn a_configuration_is_reported_once() {
        let (mut batch, mut configs) = (Batch::default(), ConfigRegistry::<2>::default());
        let mut out = Output::new(&mut batch, false);
        let ids = [[1, 2], [3, 4], [1, 2]].map(|blob| configs.id(blob, &mut out));
        assert_eq!(ids, [Some(0), Some(1), Some(0)]);
        assert_eq!(batch.cfgs.len(), 2);
    }
}
