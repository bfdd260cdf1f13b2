//! Two and three circles: each holds what its run solves. They are of one size, whatever the numbers in them are.

use super::overlap::{Regions, letter};
use super::svg::{Anchor, Svg};

const WIDTH: f64 = 400.0;
const CLASSES: [&str; 3] = ["one", "two", "three"];

/// A place, with the runs of its region.
type Place<'a> = ((f64, f64), &'a [usize]);

pub(super) fn two(regions: &Regions, told: &str) -> Svg {
    let (centres, radius) = ([(150.0, 96.0), (250.0, 96.0)], 90.0);
    let places: [Place<'_>; 3] = [((110.0, 101.0), &[0]), ((290.0, 101.0), &[1]), ((200.0, 101.0), &[0, 1])];
    drawn(regions, (192.0, told), &centres, radius, &[(46.0, 20.0), (354.0, 20.0)], &places)
}

pub(super) fn three(regions: &Regions, told: &str) -> Svg {
    let (centres, radius) = ([(150.0, 96.0), (250.0, 96.0), (200.0, 182.0)], 90.0);
    let places: [Place<'_>; 7] = [
        ((110.0, 84.0), &[0]),
        ((290.0, 84.0), &[1]),
        ((200.0, 238.0), &[2]),
        ((200.0, 66.0), &[0, 1]),
        ((142.0, 158.0), &[0, 2]),
        ((258.0, 158.0), &[1, 2]),
        ((200.0, 130.0), &[0, 1, 2]),
    ];
    let names = [(46.0, 20.0), (354.0, 20.0), (310.0, 262.0)];
    drawn(regions, (276.0, told), &centres, radius, &names, &places)
}

fn drawn(
    regions: &Regions,
    (height, told): (f64, &str),
    centres: &[(f64, f64)],
    radius: f64,
    names: &[(f64, f64)],
    places: &[Place<'_>],
) -> Svg {
    let mut svg = Svg::new(WIDTH, height, told);
    for (centre, class) in centres.iter().zip(CLASSES) {
        svg.circle(*centre, radius, &format!("area {class}"));
    }
    for (run, place) in names.iter().enumerate() {
        svg.text(*place, "big soft", Anchor::Middle, &letter(run));
    }
    for (place, runs) in places {
        svg.text(*place, "big", Anchor::Middle, &regions.cases(runs).to_string());
    }
    svg
}
