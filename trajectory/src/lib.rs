//! The append-only event log of a session: its events, writer and reader.
