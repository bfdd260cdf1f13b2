//! Chat models over HTTP: two wire formats, prices, retries, secrets.
