//! Waiting for one thing while another goes on.

use std::pin::pin;

/// Waits for something while something else goes on that may take longer: what is left of that is not waited for.
///
/// ```
/// # #[tokio::main]
/// # async fn main() {
/// use patchwright_session::beside;
///
/// assert_eq!(beside(std::future::pending(), async { 1 }).await, 1);
/// assert_eq!(beside(async {}, async { 2 }).await, 2);
/// # }
/// ```
pub async fn beside<T>(other: impl Future<Output = ()>, awaited: impl Future<Output = T>) -> T {
    let mut awaited = pin!(awaited);
    tokio::select! {
        biased;
        result = &mut awaited => result,
        () = other => awaited.await,
    }
}
