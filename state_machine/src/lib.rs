//! The states of a repair session, the tools each allows, and the transitions between them.
