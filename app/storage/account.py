"""PostgreSQL refuses to run as root, so a root process runs it as the account `watertable`, made if missing.

The account has no password and no shell. Where a folder on the way to the data or to the programs keeps
others out (`/root` is the usual one), the account alone is let through by an access control list, instead of
opening the folder to everybody.
"""

from __future__ import annotations

import os
import pwd
import shutil
import stat
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path

from app.errors import SettingsError

_NAME = "watertable"
_ACL = "system.posix_acl_access"
_OWNER, _USER, _GROUP, _MASK, _OTHER = 0x01, 0x02, 0x04, 0x10, 0x20
_NO_ID = 0xFFFFFFFF
_PASS = 1


@dataclass(frozen=True, slots=True)
class Account:
    """Whom the server runs as; None means as ourselves."""

    uid: int | None = None
    gid: int | None = None

    def own(self, path: Path) -> None:
        """Gives the file or folder to the account."""
        if self.uid is not None and self.gid is not None:
            os.chown(path, self.uid, self.gid)

    def reach(self, path: Path) -> None:
        """Lets the account through every folder above `path`. Raises: SettingsError."""
        if self.uid is None:
            return
        for folder in path.resolve().parents:
            info = folder.stat()
            if info.st_mode & stat.S_IXOTH or (info.st_uid == self.uid and info.st_mode & stat.S_IXUSR):
                continue
            _let_through(folder, self.uid)


def server_account() -> Account:
    """The account for the server: ourselves, or for root the account `watertable`. Raises: SettingsError."""
    if os.geteuid() != 0:
        return Account()
    try:
        entry = pwd.getpwnam(_NAME)
    except KeyError:
        entry = _create()
    return Account(entry.pw_uid, entry.pw_gid)


def _create() -> pwd.struct_passwd:
    program = shutil.which("useradd") or shutil.which("useradd", path="/usr/sbin:/sbin")
    reason = "there is no `useradd` here"
    if program is not None:
        command = [program, "--system", "--no-create-home", "--shell", "/usr/sbin/nologin", _NAME]
        reason = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False).stderr.strip()
    try:
        # Another process may have made it at the same moment.
        return pwd.getpwnam(_NAME)
    except KeyError:
        raise SettingsError(
            f"PostgreSQL does not run as root, and the account {_NAME!r} could not be made ({reason}). Start "
            "Watertable as an ordinary user, create the account, or set DATABASE_URL.",
        ) from None


def _let_through(folder: Path, uid: int) -> None:
    try:
        entries = _entries(folder)
        named = {i: perm for tag, perm, i in entries if tag == _USER}
        if named.get(uid, 0) & _PASS and all(p & _PASS for tag, p, _ in entries if tag == _MASK):
            return
        kept = [e for e in entries if e[0] != _MASK and e[:1] + e[2:] != (_USER, uid)]
        mask = next((p for tag, p, _ in entries if tag == _MASK), 0) | _PASS
        mask |= next(p for tag, p, _ in entries if tag == _GROUP)
        kept += [(_USER, named.get(uid, 0) | _PASS, uid), (_MASK, mask, _NO_ID)]
        kept.sort(key=lambda e: (e[0], e[2]))
        os.setxattr(folder, _ACL, struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *e) for e in kept))
    except (OSError, AttributeError) as error:
        raise SettingsError(
            f"PostgreSQL runs as the account {_NAME!r}, which cannot pass through {folder} ({error}). Put "
            "WATERTABLE_HOME where it can, start Watertable as an ordinary user, or set DATABASE_URL.",
        ) from error


def _entries(folder: Path) -> list[tuple[int, int, int]]:
    """The folder's access control list as (tag, permission, id); what its mode stands for if it has none."""
    try:
        raw = os.getxattr(folder, _ACL)
    except OSError:
        mode = folder.stat().st_mode
        bits = ((_OWNER, mode >> 6 & 7), (_GROUP, mode >> 3 & 7), (_OTHER, mode & 7))
        return [(tag, perm, _NO_ID) for tag, perm in bits]
    return [struct.unpack_from("<HHI", raw, at) for at in range(4, len(raw), 8)]
