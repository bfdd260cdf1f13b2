//! Where untrusted commands run: Docker, namespaces, host; with limits.
