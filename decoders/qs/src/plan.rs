//! Plans of rows in native style, from the table of records: those of fixed length.

use spytui_hdlc::FLAG;
use spytui_plugin_api::{NONE, RowKind};
use spytui_plugin_layer::{PlannedField, PlannedScope, RowPlan};

use crate::{
    config::{Config, Style},
    layout::{self, FieldForm, NO_FIELD, PAYLOAD, Ty, private_flag},
    record::Plan,
};

/// Returns the plans under a configuration.
pub fn plans(cfg: &[u8]) -> Vec<RowPlan> {
    let config = Config::from_blob(cfg);
    let ids = (0..=u8::MAX).filter(|_| config.style == Style::Native);
    ids.filter_map(|id| plan(id, &config)).collect()
}

fn plan(id: u8, config: &Config) -> Option<RowPlan> {
    let plan = Plan::new(id, config);
    let (layout, len) = (plan.layout?, plan.fixed.frame_len()?);
    let (mut fields, mut off, first) = (Vec::new(), PAYLOAD, u8::from(layout.stamped()));
    for (field, form) in layout.fields.iter().zip(&layout.forms) {
        let size = field.ty.size(&config.sizes)?;
        let scope = match field.ty {
            Ty::Sig if layout.scope != NO_FIELD => PlannedScope::Field((layout.scope - first).into()),
            _ => PlannedScope::None,
        };
        let space = field.ty.space().unwrap_or(NONE);
        if matches!(form, FieldForm::Signed | FieldForm::Command | FieldForm::Status) {
            return None;
        }
        if field.ty != Ty::Time {
            fields.push(PlannedField { name: field.name, off, size, space, scope });
        }
        off += usize::from(size);
    }
    let kind = RowKind(layout::kind_of(id, config.version, config.style));
    Some(RowPlan { kind, but: private_flag::ESCAPED, len: len + 1, end: FLAG, seq: Some(0), fields })
}

#[cfg(test)]
mod tests {
    use spytui_decoder_harness::planned;

    use super::*;
    use crate::{Qs, config::Sizes};

    #[test]
    fn planned_fields_are_those_rendered() {
        let narrow = Sizes { time: 2, obj: 8, fun: 8, sig: 4, evt: 4, que: 4, ctr: 4, blk: 4, tev: 2 };
        let mut compared = 0;
        for sizes in [Sizes::default(), narrow] {
            for version in [500, 550, 580, 620, 660, 690, 710, 712, 720, 800, 819] {
                let config = Config { sizes, version, ..Config::of_style(Style::Native) };
                for (id, plan) in (0..=u8::MAX).filter_map(|id| Some((id, plan(id, &config)?))) {
                    planned::is_as_rendered::<Qs>(&plan, &config.blob(), &[0xA5, id]);
                    compared += 1;
                }
            }
        }
        assert!(compared > 1000, "{compared}");
        assert!(plans(&Config::of_style(Style::Qspy813).blob()).is_empty());
    }
}
