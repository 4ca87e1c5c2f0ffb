"""A command line as it may stand in a trace that others read: without what looks like a secret, and without the home folder.

docs/recording.md gives the rules. The CUDA recorder follows the same ones (recorder/redact.c); both are tested on
tests/golden/commands_masked.txt.
"""

from __future__ import annotations

import os
import re
from typing import Iterable, Optional, Tuple

MASK = "***"
ANYWHERE = (
    "password", "passwd", "passphrase", "secret", "apikey", "accesskey", "privatekey", "credential", "accesstoken",
    "authtoken", "signingkey", "encryptionkey",
)  # fmt: skip
AT_END = ("key", "auth", "authorization", "pwd", "pass", "pat", "cookie")
KEYS = ("hf_", "ghp_", "gho_", "ghs_", "github_pat_", "glpat-", "sk-", "xoxb-", "xoxp-", "AKIA", "AIza", "eyJ")
NAME = r"[A-Za-z0-9_.-]+"


def shown(arguments: Iterable[str], home: Optional[str] = None) -> str:
    """The command as one line, quoted for a shell where need be; `home` (default: $HOME) is shown as ~."""
    home = os.environ.get("HOME", "") if home is None else home
    parts, hide_next = [], False
    for argument in arguments:
        masked, hide_next = _mask_argument(argument, hide_next)
        parts.append(_quote(_without_home(masked, home)))
    return " ".join(parts)


def _names_secret(name: str) -> bool:
    """Whether a name (of an option, a variable, a header) is that of a secret."""
    words = re.findall(r"[a-z0-9]+", name.lower())
    plain = "".join(words).rstrip("0123456789")
    while words and words[-1].isdigit():
        words.pop()
    last = words[-1].rstrip("0123456789") if words else ""
    return any(part in plain for part in ANYWHERE) or last in AT_END or plain.endswith("token")


def _match(pattern: str, text: str, at: int = 0) -> re.Match[str]:
    """At this place, by a pattern that can match nothing, too."""
    found = re.compile(pattern).match(text, at)
    assert found
    return found


def _mask_argument(argument: str, hide: bool) -> Tuple[str, bool]:
    """(the argument as shown, whether its value is the next one)."""
    name = _match(f"[-+~]*({NAME})?", argument)
    secret = _names_secret(name[1] or "")
    rest = argument[name.end() :]
    hide_next = secret and argument.startswith("-") and not rest
    if hide and not argument.startswith("-"):
        return MASK, hide_next
    if secret and rest.startswith("=") and len(rest) > 1:
        return f"{name[0]}={MASK}", hide_next
    return _mask_text(argument), hide_next


def _mask_text(text: str) -> str:
    """Masks what is inside a longer text: assignments, headers, logins in addresses, keys."""
    done, at = [], 0
    while at < len(text):
        name = re.compile(NAME).match(text, at)
        if text.startswith("://", at):
            login = re.compile(r"""://([^/\s"'?#]*)@""").match(text, at)
            done.append(f"://{MASK}" if login else "://")
            at = login.end() - 1 if login else at + 3
        elif name is None:
            done.append(text[at])
            at += 1
        elif len(name[0]) >= 20 and name[0].startswith(KEYS):
            done.append(MASK)
            at = name.end()
        else:
            done.append(name[0])
            kept, at = _mask_value(text, name)
            done.append(kept)
    return "".join(done)


def _mask_value(text: str, name: re.Match[str]) -> Tuple[str, int]:
    """(what is shown of the value after `name`, where to go on); nothing is taken where the name is of no secret."""
    secret, at = _names_secret(name[0]), name.end()
    after = text[at : at + 1]
    quoted = re.compile(r"""["'][:=]\s*""").match(text, at) if secret else None
    if quoted:  # JSON and the like
        end = _match(r"""("[^"]*("|$)|'[^']*('|$)|[^ \t\n"'&;,}]*)""", text, quoted.end()).end()
        return quoted[0].rstrip() + (MASK if end > quoted.end() else ""), end
    if secret and after == "=":
        value = r"""("[^"]*("|$)|'[^']*('|$)|[^ \t\n"'&;,]*)"""
    elif secret and after == ":" and not text.startswith("://", at):
        value = r"""[^"'\n]*"""  # a header: its value has several words
    elif after == " " and (name[0].startswith("-") and secret or name[0].lower() == "bearer"):
        value = r"""("[^"]*("|$)|'[^']*('|$)|[^ \t\n"']*)"""
    else:
        return "", at
    end = _match(value, text, at + 1).end()
    return after + (MASK if end > at + 1 else ""), end


def _without_home(text: str, home: str) -> str:
    """Text with ~ for the home folder, where that is a path of its own and not the end of a longer one."""
    home = home.rstrip("/")
    if not home:
        return text
    here = re.compile(re.escape(home) + r"(?![A-Za-z0-9_.-])")
    done, at = [], 0
    while at < len(text):
        if here.match(text, at) and _starts_path(text, at):
            done.append("~")
            at += len(home)
        else:
            done.append(text[at])
            at += 1
    return "".join(done)


def _starts_path(text: str, at: int) -> bool:
    if text.endswith("://", 0, at):
        return True
    if text.endswith("/", 0, at):
        return False
    run = re.search(r"[A-Za-z0-9_.-]*$", text[:at])
    assert run  # of nothing, at least
    return not run[0] or (run[0].startswith("-") and not text.endswith("/", 0, run.start()))


def _quote(text: str) -> str:
    if re.fullmatch(r"[A-Za-z0-9_@%+=:,./~*-]+", text):
        return text
    return "'" + text.replace("'", "'\"'\"'") + "'"
