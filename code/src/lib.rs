//! Source code as data: languages, outlines, methods, calls, search, edits, diffs, normal form.
