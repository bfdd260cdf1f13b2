//! Seals on the lines that our own runners write: tested code can write into the same file, and knows no key.
//!
//! A seal is a code that authenticates a message (HMAC, RFC 2104, with SHA-256), in hexadecimal digits as the last field of the line's
//! object. Code that shares a process with its runner and looks for the key finds it: what does so is told by other signs, such as a patch that
//! reaches for what calls it.

use std::fmt::Write as _;
use std::sync::Arc;

use patchwright_protocol::Failure;
use ring::hmac;
use ring::rand::{SecureRandom, SystemRandom};

const BYTES: usize = 32;

/// The secret that whoever starts a run shares with its runner alone.
#[derive(Clone)]
pub struct SealKey {
    digits: String,
    code: Arc<hmac::Key>,
}

impl SealKey {
    /// A new key.
    ///
    /// # Errors
    /// The system gives no random numbers.
    pub fn random() -> Result<Self, Failure> {
        let mut bytes = [0; BYTES];
        let unrandom = |_| Failure::defect("the system gives no random numbers");
        SystemRandom::new().fill(&mut bytes).map_err(unrandom)?;
        Ok(Self::of(digits(&bytes)))
    }

    fn of(digits: String) -> Self {
        let code = Arc::new(hmac::Key::new(hmac::HMAC_SHA256, digits.as_bytes()));
        Self { digits, code }
    }

    /// Its digits, for a runner.
    pub fn as_str(&self) -> &str {
        &self.digits
    }

    /// The line without its seal, where it has the right one.
    pub fn opened(&self, line: &str) -> Option<String> {
        let (text, seal) = line.strip_suffix("\"}")?.rsplit_once(", \"seal\": \"")?;
        let text = format!("{text}}}");
        (digits(hmac::sign(&self.code, text.as_bytes()).as_ref()) == seal).then_some(text)
    }
}

/// The key itself is nobody's business.
impl std::fmt::Debug for SealKey {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("SealKey")
    }
}

fn digits(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_key_has_sealed_is_opened() {
        // As Python's module `hmac` makes it.
        let key = SealKey::of("00ff".to_owned());
        let seal = "4b9813992d9a249a38e36b4bd9ffcf08f5876a7498522dc46375fde58f5ba53a";
        let sealed = format!("{{\"event\": \"end\", \"seal\": \"{seal}\"}}");
        assert_eq!(key.opened(&sealed).as_deref(), Some("{\"event\": \"end\"}"));
        assert_eq!(key.opened("{\"event\": \"end\"}"), None);
        assert_eq!(key.opened(&sealed.replace("end", "fin")), None);
        assert_eq!(SealKey::of("00fe".to_owned()).opened(&sealed), None);
    }
}
