"""Drafts of forms: what somebody has chosen so far, if it does not fit into a button; each expires."""

from dataclasses import asdict
from datetime import datetime

from sqlalchemy import delete

from storage.database import Repository, upsert
from storage.schema import FormDraft, form_drafts


class FormDrafts(Repository):
    """Queries and commands for drafts of forms."""

    async def put(self, draft: FormDraft) -> None:
        """Store a draft in place of the one with its code."""
        async with self._database.write_autocommit() as connection:
            await upsert(connection, form_drafts, asdict(draft))

    async def get(self, code: str, person: int, now: datetime) -> FormDraft | None:
        """Return a person's draft, None if it is unknown, another's, or has expired."""
        return await self._find(FormDraft, form_drafts.expires_at >= now, code=code, person=person)

    async def delete_expired(self, now: datetime) -> None:
        """Delete all drafts that have expired."""
        await self._write(delete(form_drafts).where(form_drafts.expires_at < now))
