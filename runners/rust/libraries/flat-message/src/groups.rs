//! Lists of lists, which FlatMessage has as one list of all elements, beside a list of lengths where these differ.

use wirelab_kit::files::Failure;
use wirelab_kit::{Looked, Octets};

/// The elements in lists of these lengths.
pub fn regroup<T>(items: Vec<T>, lengths: &[u32]) -> Result<Vec<Vec<T>>, Failure> {
    let total: u64 = lengths.iter().map(|&length| u64::from(length)).sum();
    if total != items.len() as u64 {
        return Err(format!("{} elements in lists of {total}", items.len()).into());
    }
    let mut items = items.into_iter();
    Ok(lengths
        .iter()
        .map(|&length| items.by_ref().take(length as usize).collect())
        .collect())
}

/// The elements in arrays of one length.
pub fn arrays<T, const N: usize>(items: Vec<T>) -> Result<Vec<[T; N]>, Failure> {
    if !items.len().is_multiple_of(N) {
        return Err(format!("{} elements in arrays of {N}", items.len()).into());
    }
    let count = items.len() / N;
    let mut items = items.into_iter();
    (0..count)
        .map(|_| exactly(items.by_ref().take(N).collect()))
        .collect()
}

/// The elements of an array.
pub fn exactly<T, const N: usize>(items: Vec<T>) -> Result<[T; N], Failure> {
    let length = items.len();
    items
        .try_into()
        .map_err(|_| format!("{length} elements instead of {N}").into())
}

/// Looks at texts of bytes that stand one after another.
pub fn look_at_octets(bytes: &[u8], lengths: &[u32], looked: &mut Looked) {
    let mut rest = bytes;
    for &length in lengths {
        // Lengths from outside may exceed the bytes.
        let (one, others) = rest.split_at(rest.len().min(length as usize));
        looked.at(&Octets(one));
        rest = others;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_come_back_in_their_lengths() {
        let lists = regroup(vec![1, 2, 3], &[2, 0, 1]).unwrap();
        assert_eq!(lists, [vec![1, 2], vec![], vec![3]]);
    }

    #[test]
    fn lengths_that_do_not_add_up_are_refused() {
        assert!(regroup(vec![1, 2, 3], &[2]).is_err());
        assert!(regroup(vec![1], &[u32::MAX, u32::MAX]).is_err());
        assert!(arrays::<_, 2>(vec![1, 2, 3]).is_err());
    }
}
