//! The prompt: sections, templates, token budget, layouts.
