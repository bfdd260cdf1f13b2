//! Values counted in equal parts of an axis.

use super::axis::Axis;

/// Parts of an axis.
const BINS: usize = 32;
/// Blocks by their height, from the least.
const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// Blocks by their width in eighths.
const PARTS: [char; 8] = ['▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'];

/// The part that holds this place on an axis, from 0 to 1.
fn bin(at: f64) -> usize {
    // Never negative.
    #[allow(clippy::cast_sign_loss)]
    let bin = (at * BINS as f64) as usize;
    bin.min(BINS - 1)
}

/// The number of values in each part of an axis.
pub(super) fn counts(values: &[f64], axis: &Axis) -> Vec<u32> {
    let mut counts = vec![0; BINS];
    for value in values {
        counts[bin(axis.part(*value))] += 1;
    }
    counts
}

/// The same with the steps between neighbours taken off, as parts of the greatest.
fn smooth(counts: &[u32]) -> Vec<f64> {
    let at = |place: Option<usize>| place.and_then(|place| counts.get(place)).copied().map_or(0.0, f64::from);
    let weighed =
        |place: usize| (at(place.checked_sub(1)) + 2.0 * at(Some(place)) + at(Some(place + 1))) / 4.0;
    let smooth: Vec<f64> = (0..counts.len()).map(weighed).collect();
    let greatest = smooth.iter().copied().fold(0.0, f64::max);
    smooth.iter().map(|height| if greatest > 0.0 { height / greatest } else { 0.0 }).collect()
}

/// A line that is as high as values are frequent, from the place of the least value to that of the greatest.
pub(super) fn outline(counts: &[u32], least: f64, greatest: f64) -> Vec<(f64, f64)> {
    let heights = smooth(counts);
    let centre = |(place, height): (usize, &f64)| ((place as f64 + 0.5) / BINS as f64, *height);
    let inner = heights.iter().enumerate().map(centre).filter(|(at, _)| least < *at && *at < greatest);
    let end = |at: f64| (at, heights[bin(at)]);
    std::iter::once(end(least)).chain(inner).chain([end(greatest)]).collect()
}

/// A block for each count; whatever is there is seen.
pub(super) fn blocks(counts: &[u32]) -> String {
    let greatest = counts.iter().copied().max().unwrap_or(0);
    let block = |count: &u32| match *count {
        0 => ' ',
        count => {
            let eighths = (u64::from(count) * 8).div_ceil(u64::from(greatest));
            BLOCKS[eighths.clamp(1, 8) as usize - 1]
        }
    };
    counts.iter().map(block).collect()
}

/// A bar that takes this part of so many letters; whatever is there is seen.
pub(super) fn bar(part: f64, letters: u32) -> String {
    if part <= 0.0 {
        return String::new();
    }
    // Between one eighth and all of them.
    #[allow(clippy::cast_sign_loss)]
    let eighths = (part.min(1.0) * f64::from(letters) * 8.0).round().max(1.0) as usize;
    let mut bar = "█".repeat(eighths / 8);
    if let Some(part) = (eighths % 8).checked_sub(1) {
        bar.push(PARTS[part]);
    }
    bar
}

#[cfg(test)]
mod tests {
    use super::super::super::units::Unit;
    use super::*;

    #[test]
    fn every_value_falls_into_one_part_and_the_greatest_into_the_last() {
        let axis = Axis::to(8.0, Unit::Count);
        let counted = counts(&[0.0, 0.1, 4.0, 8.0, 8.0], &axis);
        assert_eq!(counted.iter().sum::<u32>(), 5);
        assert_eq!((counted[0], counted[16], counted[31]), (2, 1, 2));
        let zeros = counts(&[0.0; 3], &Axis::to(0.0, Unit::Count));
        assert_eq!(zeros[0], 3);
    }

    #[test]
    fn blocks_and_bars_show_whatever_is_there() {
        assert_eq!(blocks(&[0, 1, 50, 100, 0]), " ▁▄█ ");
        assert_eq!(blocks(&[0, 0]), "  ");
        let check = |part: f64, expect: &str| assert_eq!(bar(part, 4), expect, "{part}");
        check(0.0, "");
        check(0.001, "▏");
        check(0.5, "██");
        check(0.53, "██▏");
        check(1.0, "████");
        check(2.0, "████");
    }

    #[test]
    fn smoothing_keeps_the_top_at_one() {
        assert_eq!(smooth(&[0, 4, 0]), [0.5, 1.0, 0.5]);
        assert_eq!(smooth(&[0, 0]), [0.0, 0.0]);
    }

    #[test]
    fn an_outline_goes_from_the_least_value_to_the_greatest() {
        let mut counts = vec![0; BINS];
        (counts[1], counts[2]) = (3, 3);
        let height = 1.0 / 3.0;
        let expect = [(0.05, 1.0), (2.5 / 32.0, 1.0), (0.1, height)];
        assert_eq!(outline(&counts, 0.05, 0.1), expect);
    }
}
