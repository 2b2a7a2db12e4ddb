"""The posts of games in places: their boards and their offers."""

from bot.kernel.features import Feature
from bot.outbox.boards import OFFER, BoardPost, OfferPost
from bot.outbox.notice_posts import DIGEST, NOTICE, DigestPost, NoticePost
from storage.message_schema import BOARD

FEATURE = Feature(posts={BOARD: BoardPost, OFFER: OfferPost, NOTICE: NoticePost, DIGEST: DigestPost})
