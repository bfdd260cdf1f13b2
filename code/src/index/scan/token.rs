//! The tokens of Python, as far as its statements are told apart by them.

/// What a token is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A name that is no keyword.
    Name,
    /// `print` and `exec`, which were keywords once.
    OldName,
    Number,
    /// A whole string literal without values in it.
    Text,
    /// The beginning of an f-string, up to its first quote.
    Format,
    /// `True`, `False`, `None`, `...`.
    Constant,
    Open(Bracket),
    Close(Bracket),
    Comma,
    Colon,
    Semicolon,
    Dot,
    /// `=`.
    Assign,
    /// `+=` and the like.
    Augment,
    /// `:=`.
    Walrus,
    /// `->`.
    Arrow,
    /// `@`, an operator too.
    At,
    /// `*`, an operator too.
    Star,
    /// `**`, an operator too.
    StarStar,
    /// `+`, `-`: signs too.
    Sign,
    /// `~`.
    Invert,
    /// `/`, an operator that may stand among parameters.
    Slash,
    /// Any other operator with two sides, comparisons included.
    Operator,
    /// `!` in an f-string.
    Bang,
    /// The end of a logical line.
    Newline,
    Word(Word),
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Bracket {
    Round,
    Square,
    Curly,
}

/// Keywords.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Word {
    And,
    As,
    Assert,
    Async,
    Await,
    Break,
    Class,
    Continue,
    Def,
    Del,
    Elif,
    Else,
    Except,
    Finally,
    For,
    From,
    Global,
    If,
    Import,
    In,
    Is,
    Lambda,
    Nonlocal,
    Not,
    Or,
    Pass,
    Raise,
    Return,
    Try,
    While,
    With,
    Yield,
}

/// A place in a text: bytes and rows from 0.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Place {
    pub byte: usize,
    pub row: usize,
    pub column: usize,
}

/// A token and where it stands.
#[derive(Copy, Clone, Debug)]
pub(super) struct Token {
    pub kind: Kind,
    pub start: Place,
    pub end: Place,
}

/// What a word is.
pub(super) fn of_word(word: &[u8]) -> Kind {
    Kind::Word(match word {
        b"and" => Word::And,
        b"as" => Word::As,
        b"assert" => Word::Assert,
        b"async" => Word::Async,
        b"await" => Word::Await,
        b"break" => Word::Break,
        b"class" => Word::Class,
        b"continue" => Word::Continue,
        b"def" => Word::Def,
        b"del" => Word::Del,
        b"elif" => Word::Elif,
        b"else" => Word::Else,
        b"except" => Word::Except,
        b"finally" => Word::Finally,
        b"for" => Word::For,
        b"from" => Word::From,
        b"global" => Word::Global,
        b"if" => Word::If,
        b"import" => Word::Import,
        b"in" => Word::In,
        b"is" => Word::Is,
        b"lambda" => Word::Lambda,
        b"nonlocal" => Word::Nonlocal,
        b"not" => Word::Not,
        b"or" => Word::Or,
        b"pass" => Word::Pass,
        b"raise" => Word::Raise,
        b"return" => Word::Return,
        b"try" => Word::Try,
        b"while" => Word::While,
        b"with" => Word::With,
        b"yield" => Word::Yield,
        b"True" | b"False" | b"None" => return Kind::Constant,
        b"print" | b"exec" => return Kind::OldName,
        _ => return Kind::Name,
    })
}
