"""What games show in places: their boards and their offers."""

from bot.core.features import Feature
from bot.delivery.boards import BoardPost
from bot.delivery.notice_posts import DIGEST, NOTICE, DigestPost, NoticePost
from bot.delivery.offers import OFFER, OfferPost
from storage.message_schema import BOARD

FEATURE = Feature(posts={BOARD: BoardPost, OFFER: OfferPost, NOTICE: NoticePost, DIGEST: DigestPost})
