//! The sizes that match most payloads. All combinations of those that most records have are tried: improved one after the
//! other, they would end where none alone is better. Each of the others is only found in records of its own.

use spytui_plugin_api::Clock;

use crate::{
    config::{Config, SIZES, SizeSpec, Sizes},
    layout::Ty,
    receive::Base,
};

/// Number of sizes that most records have: those before the others in [`SIZES`].
const COMMON: usize = 4;

/// What fits best.
pub(super) struct Best {
    pub(super) config: Config,
    /// Number of payloads that fit.
    pub(super) fits: u32,
    /// Those of them that all sizes that fit as well read alike.
    pub(super) certain: u32,
    /// Number of all payloads.
    pub(super) all: u32,
    /// Places in [`SIZES`] of those for which other values fit as well.
    pub(super) doubtful: Vec<usize>,
}

impl Best {
    /// Sizes that the target reported.
    pub(super) fn known(config: Config) -> Best {
        Best { config, fits: 0, certain: 0, all: 0, doubtful: Vec::new() }
    }
}

/// The sizes that match most payloads; those of `start` where none matches more. The sizes at `given` stay.
pub(super) fn best(frames: &[Vec<u8>], start: Config, given: &[usize]) -> Best {
    let search = Search { samples: samples(frames, start), start, given };
    let mut combined: Vec<(u32, Sizes)> = search.combinations().map(|sizes| (search.most(sizes), sizes)).collect();
    combined.sort_by_key(|(most, _)| std::cmp::Reverse(*most));
    let mut found: Vec<(u32, Sizes)> = Vec::new();
    for (most, sizes) in combined {
        let best = found.first().map_or(0, |(fits, _)| *fits);
        if most < best {
            break;
        }
        let improved = search.improve(sizes);
        if improved.0 > best {
            found.clear();
        }
        if improved.0 >= best {
            found.push(improved);
        }
    }
    // Of those that fit alike, one that leaves what no record has as it is.
    found.sort_by_key(|(_, sizes)| SIZES.iter().filter(|spec| spec.get(*sizes) != spec.get(start.sizes)).count());
    search.judge(&found)
}

struct Search<'a> {
    samples: Vec<Sample<'a>>,
    start: Config,
    given: &'a [usize],
}

/// Payloads that fit with the same sizes.
struct Sample<'a> {
    id: u8,
    payload: &'a [u8],
    count: u32,
    /// Types of its fields.
    types: Vec<Ty>,
}

/// Payloads of a fixed layout fit by their length, so one of each length is enough.
fn samples(frames: &[Vec<u8>], start: Config) -> Vec<Sample<'_>> {
    let base = Base::new(start, 0, Clock::new(0));
    let mut samples: Vec<Sample<'_>> = Vec::new();
    for frame in frames {
        let [_, id, payload @ .., _] = frame.as_slice() else { continue };
        let plan = base.plans.of(*id);
        let is_fixed = plan.fits_payload(payload).is_some();
        let same = |of: &&mut Sample<'_>| is_fixed && of.id == *id && of.payload.len() == payload.len();
        if let Some(known) = samples.iter_mut().find(same) {
            known.count += 1;
            continue;
        }
        // Records of the application raise no doubt: the zeros at the end of a time stamp can be read as an element, too.
        let types = plan.layout.map_or(&[][..], |layout| layout.fields).iter().map(|field| field.ty).collect();
        samples.push(Sample { id: *id, payload, count: 1, types });
    }
    samples
}

impl Sample<'_> {
    fn has_other_sizes(&self) -> bool {
        self.types.iter().any(|ty| matches!(ty, Ty::Evt | Ty::Que | Ty::Ctr | Ty::Tev))
    }

    /// Whether its fields lie at the same places.
    fn reads_alike(&self, one: &Sizes, other: &Sizes) -> bool {
        self.types.iter().all(|ty| ty.size(one) == ty.size(other))
    }
}

impl Search<'_> {
    fn values(&self, place: usize, spec: &SizeSpec) -> impl Iterator<Item = u8> + use<> {
        let own = spec.get(self.start.sizes);
        let is_open = !self.given.contains(&place);
        let others = [1, 2, 4, 8].map(|bytes| (is_open && bytes != own && spec.legal(bytes)).then_some(bytes));
        std::iter::once(own).chain(others.into_iter().flatten())
    }

    /// All combinations of the common sizes.
    fn combinations(&self) -> impl Iterator<Item = Sizes> + use<'_> {
        let mut all = vec![self.start.sizes];
        for (place, spec) in SIZES.iter().enumerate().take(COMMON) {
            let with = |sizes: Sizes| self.values(place, spec).map(move |bytes| spec.with(sizes, bytes));
            all = all.into_iter().flat_map(with).collect();
        }
        all.into_iter()
    }

    fn count(&self, sizes: Sizes, counted: impl Fn(&Sample<'_>, &Base) -> bool) -> u32 {
        let base = Base::new(Config { sizes, ..self.start }, 0, Clock::new(0));
        self.samples.iter().filter(|sample| counted(sample, &base)).map(|sample| sample.count).sum()
    }

    fn fitting(&self, sizes: Sizes) -> u32 {
        self.count(sizes, |sample, base| base.fits(sample.id, sample.payload))
    }

    /// How many may fit at most, whatever the other sizes are.
    fn most(&self, sizes: Sizes) -> u32 {
        self.count(sizes, |sample, base| sample.has_other_sizes() || base.fits(sample.id, sample.payload))
    }

    /// With the best of each of the other sizes.
    fn improve(&self, sizes: Sizes) -> (u32, Sizes) {
        let mut best = (self.fitting(sizes), sizes);
        for (place, spec) in SIZES.iter().enumerate().skip(COMMON) {
            for bytes in self.values(place, spec).skip(1) {
                let sizes = spec.with(best.1, bytes);
                let fits = self.fitting(sizes);
                best = if fits > best.0 { (fits, sizes) } else { best };
            }
        }
        best
    }

    /// What is certain of the first of those that fit alike.
    fn judge(&self, found: &[(u32, Sizes)]) -> Best {
        let (fits, sizes) = found.first().copied().unwrap_or((0, self.start.sizes));
        let base = Base::new(Config { sizes, ..self.start }, 0, Clock::new(0));
        let (mut certain, mut doubtful) = (0, Vec::new());
        for sample in self.samples.iter().filter(|sample| base.fits(sample.id, sample.payload)) {
            let differs = |other: &&(u32, Sizes)| !sample.reads_alike(&sizes, &other.1);
            let Some((_, other)) = found.iter().find(differs) else {
                certain += sample.count;
                continue;
            };
            let places = SIZES.iter().enumerate().filter(|(_, spec)| spec.get(sizes) != spec.get(*other));
            doubtful.extend(places.map(|(place, _)| place));
        }
        doubtful.sort_unstable();
        doubtful.dedup();
        let all = self.samples.iter().map(|sample| sample.count).sum();
        Best { config: base.config, fits, certain, all, doubtful }
    }
}
