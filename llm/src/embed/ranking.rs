//! The similarity of vectors.

/// The places of vectors, those most like the query first, with the cosine of the angle between them (−1 to 1). Equal ones
/// keep their order; a vector of zeros or of another length is like nothing (0).
pub fn by_cosine(query: &[f32], vectors: &[Vec<f32>]) -> Vec<(usize, f32)> {
    let own = length(query);
    let alike = |vector: &Vec<f32>| {
        let product = own * length(vector);
        if vector.len() != query.len() || product <= 0.0 || !product.is_finite() {
            return 0.0;
        }
        let dot: f32 = vector.iter().zip(query).map(|(left, right)| left * right).sum();
        dot / product
    };
    let mut ranked: Vec<(usize, f32)> = vectors.iter().map(alike).enumerate().collect();
    ranked.sort_by(|left, right| right.1.total_cmp(&left.1));
    ranked
}

fn length(vector: &[f32]) -> f32 {
    vector.iter().map(|part| part * part).sum::<f32>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_alike_come_first() {
        let check = |vectors: &[&[f32]], expect: &[usize]| {
            let vectors: Vec<Vec<f32>> = vectors.iter().map(|vector| vector.to_vec()).collect();
            let found: Vec<usize> =
                by_cosine(&[1.0, 0.0], &vectors).iter().map(|(place, _)| *place).collect();
            assert_eq!(found, expect, "{vectors:?}");
        };
        check(&[], &[]);
        check(&[&[0.0, 1.0], &[5.0, 0.1], &[-1.0, 0.0], &[1.0, 1.0]], &[1, 3, 0, 2]);
        check(&[&[0.0, 0.0], &[1.0, 2.0, 3.0], &[f32::NAN, 1.0], &[0.1, 0.9]], &[3, 0, 1, 2]);
        check(&[&[2.0, 0.0], &[1.0, 0.0]], &[0, 1]);
    }
}
