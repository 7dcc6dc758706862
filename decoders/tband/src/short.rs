//! Copies of few bytes, without a call.

/// Copies `from` to the beginning of `to`, which is at least as long. The usual lengths go by two words that may
/// overlap.
#[inline(always)]
pub(crate) fn copy(to: &mut [u8], from: &[u8]) {
    match from.len() {
        0..4 => to.iter_mut().zip(from).for_each(|(to, from)| *to = *from),
        4..8 => ends::<4>(to, from),
        8..=16 => ends::<8>(to, from),
        17..=32 => ends::<16>(to, from),
        len => to.get_mut(..len).into_iter().for_each(|to| to.copy_from_slice(from)),
    }
}

/// Copies the first and the last `N` bytes.
#[inline(always)]
fn ends<const N: usize>(to: &mut [u8], from: &[u8]) {
    let Some(to) = to.get_mut(..from.len()) else { return };
    if let (Some(to), Some(from)) = (to.first_chunk_mut::<N>(), from.first_chunk::<N>()) {
        *to = *from;
    }
    if let (Some(to), Some(from)) = (to.last_chunk_mut::<N>(), from.last_chunk::<N>()) {
        *to = *from;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_is_copied() {
        let from: Vec<u8> = (1..=100).collect();
        for len in 0..=100 {
            let mut to = vec![0; 101];
            copy(&mut to, &from[..len]);
            assert!(to.iter().take(len).eq(&from[..len]) && to[len..].iter().all(|b| *b == 0));
        }
    }
}
