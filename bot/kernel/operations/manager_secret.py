"""The secret of the manager's link, stored in the data folder: a person who opens the page with it manages the page."""

import errno
import os
import re
import secrets
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final

from storage.addresses import SpecialFile, refuse_special_files

SECRET_FILE: Final = "manager.secret"  # noqa: S105 - a name, no secret
"""Name of the file in the data folder."""
LINK_FRAGMENT: Final = "#manager="
"""Prefix of the secret in the link: browsers never send what follows a #."""

_OWNER_MODE: Final = 0o600
_OTHERS_MODE: Final = 0o077
_MAX_FILE_BYTES: Final = 1000
_SECRET_PATTERN: Final = re.compile(r"[A-Za-z0-9_-]{43}")


def manager_link(address: str, secret: str) -> str:
    """Return the manager's link to the page at an address: the person who opens it manages the page."""
    return f"{address.rstrip('/')}/{LINK_FRAGMENT}{secret}"


class ManagerSecret:
    """The current secret in its file: a new secret from another process is valid at once."""

    def __init__(self, folder: Path) -> None:
        """Create the store of the secret in a folder, which need not exist yet."""
        self.path = folder / SECRET_FILE
        self._seen: tuple[int, int, int] | None = None
        self._known: str | None = None

    def __call__(self) -> str | None:
        """Return the secret, None if there is no readable secret."""
        try:
            found = self.path.stat()
            seen = (found.st_ino, found.st_mtime_ns, found.st_size)
            if seen != self._seen:
                self._known, self._seen = self._read(), seen
        except OSError:
            return None
        return self._known

    def load_or_create(self) -> str:
        """Return the secret; create it if there is none or the file has other content. Raises OSError.

        The file's permissions are restricted to its owner.
        """
        try:
            known = self._read()
        except FileNotFoundError:
            self._write(replaces=False)
            # Another process may have been faster: then use its secret.
            known = self._read()
        if known is None:
            return self.renew()
        if self.path.stat().st_mode & _OTHERS_MODE:
            # A process that can read the file but does not own it cannot restrict it.
            with suppress(PermissionError):
                self.path.chmod(_OWNER_MODE)
        return known

    def renew(self) -> str:
        """Create a new secret and return it; may raise OSError. The old secret is invalid from then on."""
        return self._write(replaces=True)

    def _read(self) -> str | None:
        try:
            refuse_special_files(self.path)
        except SpecialFile:
            raise OSError(errno.EINVAL, "not an ordinary file") from None
        with self.path.open("rb") as file:
            text = file.read(_MAX_FILE_BYTES).decode("ascii", "replace").strip()
        return text if _SECRET_PATTERN.fullmatch(text) else None

    def _write(self, *, replaces: bool) -> str:
        """Write a new secret to a temporary file, then rename it, so that no reader sees half a secret."""
        secret = secrets.token_urlsafe(32)
        beside = self.path.with_name(f".{SECRET_FILE}.{secrets.token_hex(4)}")
        file = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _OWNER_MODE)
        try:
            with os.fdopen(file, "w", encoding="ascii") as stream:
                self._give_to_owner(stream.fileno())
                stream.write(f"{secret}\n")
                stream.flush()
                os.fsync(stream.fileno())
            if replaces or not self._write_exclusively(beside):
                beside.replace(self.path)
        finally:
            beside.unlink(missing_ok=True)
        return secret

    def _write_exclusively(self, beside: Path) -> bool:
        """Rename a new file unless the target exists; return False if the file system has no hard links."""
        try:
            os.link(beside, self.path)
        except FileExistsError:
            return True
        except OSError:
            return False
        return True

    def _give_to_owner(self, file: int) -> None:
        """Give an administrator's file to the owner of the folder: the program must be able to read it."""
        if sys.platform != "win32" and os.geteuid() == 0:
            folder = self.path.parent.stat()
            with suppress(PermissionError):
                os.fchown(file, folder.st_uid, folder.st_gid)
