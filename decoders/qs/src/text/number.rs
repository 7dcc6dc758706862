//! Whole numbers as text.

pub(crate) use spytui_decoder_kit::number::*;

use super::line::{Line, Sink};

/// Signed 32-bit decimal in the C format `%08d`.
pub(crate) fn signal<S: Sink>(line: &mut Line<'_, S>, number: u64) {
    signed_filled(line, (number as u32 as i32).into(), 8);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_are_those_of_c() {
        for n in [0, 7, 65_535, u64::from(u32::MAX)] {
            let mut out = Vec::new();
            let mut line = Line::new(&mut out, usize::MAX);
            signal(&mut line, n);
            line.finish();
            assert_eq!(String::from_utf8(out).unwrap(), format!("{:08}", n as i32));
        }
    }
}
