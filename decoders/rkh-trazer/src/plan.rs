//! Plans of rows in native style, from the table of events: those of fixed length.

use spytui_hdlc::FLAG;
use spytui_plugin_layer::{PlannedField, PlannedScope, RowPlan};

use crate::{
    config::{Config, TextStyle},
    layout::{NamedEntity, Role, private_flag, space},
    record::Plan,
};

/// Returns the plans under a configuration.
pub fn plans(cfg: &[u8]) -> Vec<RowPlan> {
    let config = Config::from_blob(cfg);
    let ids = (0..=u8::MAX).filter(|_| config.style == TextStyle::Native);
    ids.filter_map(|id| plan(id, &config)).collect()
}

fn plan(id: u8, config: &Config) -> Option<RowPlan> {
    let plan = Plan::new(id, config);
    let (layout, len) = (plan.layout.filter(|layout| layout.role != Role::Tcfg)?, plan.fixed.frame_len()?);
    let (mut fields, mut off) = (Vec::new(), config.header());
    for (index, field) in (0..).zip(layout.fields) {
        let (size, space) = (config.size(field.ty), layout.key_space(index));
        let scope = match space {
            space::STATES if layout.role == Role::Name(NamedEntity::State) => PlannedScope::Field(0),
            space::STATES => PlannedScope::Object,
            _ => PlannedScope::None,
        };
        // The target does not send others.
        if size > 0 {
            fields.push(PlannedField { name: field.name, off, size, space, scope });
        }
        off += usize::from(size);
    }
    let but = private_flag::ESCAPED | private_flag::FUSED;
    Some(RowPlan { kind: layout.kind, but, len: len + 1, end: FLAG, seq: config.nseq.then_some(1), fields })
}

#[cfg(test)]
mod tests {
    use spytui_decoder_harness::planned;

    use super::*;
    use crate::{
        Rkh,
        config::{Key, Settings},
        layout::Era,
    };

    #[test]
    fn planned_fields_are_those_rendered() {
        let bare = Settings::default().with(Key::Nseq, 0).with(Key::Tstamp, 0).with(Key::Checksum, 0);
        let wide = Settings::default().with(Key::Pointer, 8).with(Key::Signal, 4);
        let mut compared = 0;
        for settings in [Settings::default(), bare, wide] {
            for era in [Era::R23, Era::R243, Era::R244, Era::R245, Era::R3] {
                let config = Config { era, ..settings.config(TextStyle::Native) };
                for (id, plan) in (0..=u8::MAX).filter_map(|id| Some((id, plan(id, &config)?))) {
                    planned::is_as_rendered::<Rkh>(&plan, &config.blob(), &[id]);
                    compared += 1;
                }
            }
        }
        assert!(compared > 500, "{compared}");
    }
}
