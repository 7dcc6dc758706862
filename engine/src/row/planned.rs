//! Rows whose fields are read as their decoder planned, without being rendered.

use rustc_hash::FxHashMap;
use spytui_plugin_api::{RowIn, RowKind};
use spytui_plugin_layer::{PlannedField, PlannedScope, PlansOf, RowPlan};

/// Plans under the latest configurations.
#[derive(Debug, Default)]
pub struct RowPlans(Vec<OpenedPlans>);

/// Configurations kept: those of several sources alternate.
const MOST: usize = 8;

#[derive(Debug)]
pub struct OpenedPlans {
    of: PlansOf,
    configuration: Vec<u8>,
    plans: FxHashMap<RowKind, ReadyPlan>,
}

#[derive(Debug)]
struct ReadyPlan {
    plan: RowPlan,
    fields: Vec<ReadyField>,
}

#[derive(Debug)]
pub struct ReadyField {
    pub field: PlannedField,
    /// Its name as key of a JSON object, with the colon.
    pub key: Box<str>,
    mask: u64,
}

impl RowPlans {
    /// The plans of a decoder under a configuration.
    pub fn open(&mut self, of: PlansOf, configuration: &[u8]) -> Option<&OpenedPlans> {
        let is_own = |own: &OpenedPlans| std::ptr::fn_addr_eq(own.of, of) && own.configuration == configuration;
        match self.0.iter().position(is_own) {
            Some(at) => self.0[..=at].rotate_right(1),
            None => {
                self.0.truncate(MOST - 1);
                let plans = of(configuration).into_iter().filter(|plan| plan.len >= 8).map(ready).collect();
                self.0.insert(0, OpenedPlans { of, configuration: configuration.to_vec(), plans });
            }
        }
        self.0.first()
    }
}

fn ready(plan: RowPlan) -> (RowKind, ReadyPlan) {
    let ready = |field: &PlannedField| ReadyField {
        field: *field,
        key: format!("\"{}\":", field.name).into(),
        mask: u64::MAX.checked_shr(64_u32.saturating_sub(8 * u32::from(field.size))).unwrap_or(0),
    };
    (plan.kind, ReadyPlan { fields: plan.fields.iter().map(ready).collect(), plan })
}

impl OpenedPlans {
    /// A row, if it has a plan.
    #[inline]
    pub fn row<'a>(&'a self, input: &RowIn<'a>) -> Option<PlannedRow<'a>> {
        let (row, raw) = (input.row, input.raw.as_slice());
        let ReadyPlan { plan, fields } = self.plans.get(&row.kind)?;
        let fits = raw.len() == plan.len && raw.last() == Some(&plan.end) && raw.first() != Some(&plan.end);
        let seq = plan.seq.and_then(|at| raw.get(at)).copied();
        (fits && !row.flags.intersects(plan.but)).then_some(PlannedRow { fields, raw, object: row.obj, seq })
    }
}

#[derive(Debug, Clone, Copy)]
pub struct PlannedRow<'a> {
    fields: &'a [ReadyField],
    raw: &'a [u8],
    object: u64,
    pub seq: Option<u8>,
}

impl<'a> PlannedRow<'a> {
    /// Its fields, without the sequence number, and their numbers.
    #[inline]
    pub fn fields(&self) -> impl Iterator<Item = (&'a ReadyField, u64)> {
        self.fields.iter().map(|field| (field, self.number(field)))
    }

    #[inline]
    fn number(&self, ReadyField { field, mask, .. }: &ReadyField) -> u64 {
        let at = field.off.min(self.raw.len().saturating_sub(8));
        let word = self.raw.get(at..).and_then(<[u8]>::first_chunk);
        word.map_or(0, |word| (u64::from_le_bytes(*word) >> ((8 * (field.off - at)) & 63)) & mask)
    }

    pub fn scope(&self, key: &PlannedField) -> u64 {
        match key.scope {
            PlannedScope::None => 0,
            PlannedScope::Object => self.object,
            PlannedScope::Field(index) => self.fields.get(index).map_or(0, |field| self.number(field)),
        }
    }
}
