//! What a model can call: the tools, their schemas, and the interpretation of replies.
