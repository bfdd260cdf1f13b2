//! Numbers and texts as bytes, small and fast to read.

/// Bytes being written.
#[derive(Default)]
pub(super) struct Packer(pub Vec<u8>);

/// Bytes being read; every question is answered with `None` once they do not fit.
pub(super) struct Unpacker<'b>(pub &'b [u8]);

impl Packer {
    /// Adds a number: seven bits a byte, the lowest first.
    pub fn number(&mut self, number: impl Into<u64>) {
        let mut rest = number.into();
        while rest >= 0x80 {
            self.0.push((rest & 0x7f) as u8 | 0x80);
            rest >>= 7;
        }
        self.0.push(rest as u8);
    }

    /// Adds bytes with their number.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }
}

impl<'b> Unpacker<'b> {
    /// The next number.
    pub fn number<N: TryFrom<u64>>(&mut self) -> Option<N> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let (byte, rest) = self.0.split_first()?;
            self.0 = rest;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return N::try_from(number).ok();
            }
        }
        None
    }

    /// So many next bytes.
    pub fn exactly(&mut self, count: usize) -> Option<&'b [u8]> {
        let (bytes, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(bytes)
    }

    /// The next bytes that were added with their number.
    pub fn bytes(&mut self) -> Option<&'b [u8]> {
        let count = self.number()?;
        self.exactly(count)
    }

    /// The same as text.
    pub fn text(&mut self) -> Option<&'b str> {
        std::str::from_utf8(self.bytes()?).ok()
    }

    /// The next hash.
    pub fn hash(&mut self) -> Option<blake3::Hash> {
        Some(blake3::Hash::from_bytes(self.exactly(blake3::OUT_LEN)?.try_into().ok()?))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn what_was_packed_comes_out() {
        let numbers = [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX];
        let mut packer = Packer::default();
        for number in numbers {
            packer.number(number);
        }
        packer.bytes("größe".as_bytes());
        let mut unpacker = Unpacker(&packer.0);
        for number in numbers {
            assert_eq!(unpacker.number(), Some(number));
        }
        assert_eq!(unpacker.text(), Some("größe"));
        assert_eq!(unpacker.number::<u64>(), None);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        assert_eq!(Unpacker(&[0xff; 12]).number::<u64>(), None, "too long");
        assert_eq!(Unpacker(&[0x80, 0x02]).number::<u8>(), None, "256");
        assert_eq!(Unpacker(&[5, b'a']).bytes(), None);
        assert_eq!(Unpacker(&[1, 0xff]).text(), None);
        assert!(Unpacker(&[0; 31]).hash().is_none());
    }
}
