"""The issue that a fix commit tells of: its changelog fragment, or its message."""

from __future__ import annotations

import re
import textwrap

LEAST_WORDS = 10

_WRONG = re.compile(
    r"\b(fix(es|ed|ing)?|bug(s|gy)?|issue where|regression|crash(es|ed)?|incorrect(ly)?|wrong(ly)?|broken"
    r"|fail(s|ed|ing)?|rais(es|ed|ing)|error|leak(s|ed|ing)?|no longer|hang(s)?|deadlock|mishandl\w+|unexpected(ly)?"
    r"|silently)\b",
    re.IGNORECASE,
)
_ASIDE = re.compile(
    r"^\W*(docs?|doc(umentation)?|ci|tst|tests?|typing|types?|lint|style|sty|chore|build|bump|revert|dep|maint|mnt"
    r"|refactor)\b\W*:|\b(typos?|flak(y|e|es|iness)|lint(er|ing)?|mypy|pyright|pre-commit|docstrings?"
    r"|type (hint|annotation)s?|typing|changelog|ruff|spelling|documentation|news)\b|^(bump|revert|document)\b|\bCI\b",
    re.IGNORECASE,
)
_TRAILER = re.compile(
    r"^\s*([A-Z][\w-]*-by|Change-Id|Pull-request-sha|Pull-request|cc|\(cherry picked)\b[\s:].*$"
    r"|^\s*(Clos(es|ed)|Resolves|References|Fixes|Refs?|See|PR|Issue)[\s:]+(\S*#|gh-|https?:)\S*\d\S*"
    r"([,;\s]+(and\s+)?\S*#\d+)*\W*$"
    r"|^\s*(#|gh-)\d+\.?\s*$",
    re.IGNORECASE,
)
_TRAILER_START = re.compile(r"^\s*(-{5,}|Co-authored-by:)", re.IGNORECASE)
# What a template of pull requests leaves in a message.
_TEMPLATE = re.compile(
    r"<!--.*?-->|^#+ *Description\b[^\n]*$|^\s*[-*] \[[ x]\][^\n]*$|^-{3,}$", re.DOTALL | re.MULTILINE
)
_CHECKLIST = re.compile(
    r"^#+ *(Checklist|Pull request checklist|AI disclosure)\b.*", re.DOTALL | re.MULTILINE | re.IGNORECASE
)
_BULLET = re.compile(r"^[*-] ")
_NUMBERS = re.compile(
    r"\s*\((?:see |fixes |closes |issue |pull |pr )?(?:#|gh-)\d+(?:,\s*(?:#|gh-)\d+)*\)"
    r"|\s*\[?#\d+\]?\(https?://\S+\)|https?://\S*/(?:pull|issues|commit)/\S+",
    re.IGNORECASE,
)
_ISSUE_ROLES = re.compile(
    r"\s*\(?(?:see |pull request |issue |ticket )?:(?:issue|pull|gh-issue|ticket|commit):`[^`]*`[^\S\n]*\)?"
)
_SUBSTITUTION = re.compile(r"\|([^|\n]{1,60})\|")
_ROLE = re.compile(r":[a-z][\w:+-]*:`(?:[^`<]*<([^`>]+)>|([^`]*))`")
_THANKS = re.compile(
    r"\(?\b(?:Thanks|Thank you|Pull request courtesy|Courtesy|Patch by|Contributed by|Credit)\b.*?"
    r"(?:[.!]\)?(?=\s|$)|\Z)",
    re.IGNORECASE | re.DOTALL,
)
_BY = re.compile(r"\s*-- by .*?(?=\.?\s*$)|^\d+\.\w+\.rst$", re.MULTILINE)
_FIELD = re.compile(
    r"^\s*(:(tags|tickets|versions)\w*:.*|\.\. change::.*|RELEASE_TYPE:.*|\.\. _.*)$", re.MULTILINE
)
_SEE_ALSO = re.compile(r"^( *)\.\. seealso::.*(?:\n(?:\1 +.*|\s*$))*", re.MULTILINE)
# What is left where a reference was taken out.
_DOUBLE_STOP = re.compile(r"(?<!\.)\.\.(?=\s|$)")


def says_wrong(text: str) -> bool:
    """Whether a text says that something was wrong."""
    return bool(_WRONG.search(text))


def is_aside(title: str) -> bool:
    """Whether a title is that of a change which repairs no behaviour."""
    return bool(_ASIDE.search(title))


def from_fragment(text: str) -> str:
    """The text of a changelog fragment, in Markdown or reStructuredText, as a user would write it."""
    text = _FIELD.sub("", _SEE_ALSO.sub("", text))
    text = _BY.sub("", text)
    text = _THANKS.sub("", _NUMBERS.sub("", _ISSUE_ROLES.sub("", text)))
    text = _ROLE.sub(lambda match: f"`{_plain(match[1] or match[2])}`", text).replace("``", "`")
    return _tidy(_SUBSTITUTION.sub(r"`\1`", text))


def _plain(name: str) -> str:
    """A name without the marks of Sphinx, and without an abbreviated module such as SQLAlchemy's `_orm.`."""
    return re.sub(r"^_[a-z]+\.", "", name.lstrip("~!."))


def from_message(message: str) -> str:
    """A commit's message without trailers, numbers, and the list of commits that a squash leaves."""
    title, _, body = message.strip().partition("\n")
    body = _TEMPLATE.sub("", _CHECKLIST.sub("", body))
    kept = []
    for paragraph in re.split(r"\n\s*\n", body):
        if _TRAILER_START.match(paragraph):
            break
        lines = [line for line in paragraph.splitlines() if not _TRAILER.match(line)]
        # One item a paragraph is how a squash names its commits; the first is often the title once more.
        squashed = sum(map(bool, map(_BULLET.match, lines))) == 1 and len(" ".join(lines)) < 100
        if lines and not squashed:
            kept.append("\n".join(lines))
    title = re.sub(r"^\s*(fix|bug|bugfix)(\([^)]*\))?\s*:\s*", "", _NUMBERS.sub("", title), flags=re.IGNORECASE)
    return _tidy(_NUMBERS.sub("", "\n\n".join([title[:1].upper() + title[1:], *kept])))


def is_telling(issue: str) -> bool:
    """Whether an issue is long enough to tell a symptom."""
    return len(re.findall(r"[A-Za-z]\w*", issue)) >= LEAST_WORDS and says_wrong(issue)


def holds_code(issue: str, patch: str) -> bool:
    """Whether an issue has lines of the fix."""
    squeezed = re.sub(r"\s+", "", issue)
    added = [line[1:].strip() for line in patch.splitlines() if line.startswith("+") and not line.startswith("+++")]
    code = (line for line in added if len(line) >= 20 and re.search(r"[=(\[.]", line) and not line.startswith("#"))
    return any(re.sub(r"\s+", "", line) in squeezed for line in code)


def _tidy(text: str) -> str:
    text = "\n".join(line.rstrip() for line in textwrap.dedent(text.strip("\n")).splitlines())
    return re.sub(r"\n{3,}", "\n\n", _DOUBLE_STOP.sub(".", text)).strip() + "\n"
