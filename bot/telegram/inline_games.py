"""Games of inline messages: created by the first press, or the chosen result, and only once."""

from telegram import InlineKeyboardButton, InlineKeyboardMarkup

from bot.interface.presses import press
from bot.interface.requests import GuestFront, Place, Reply, Request, User
from bot.language.game_names import load_game_names
from bot.language.texts import Span, Speaker, Text, Texts, join
from bot.telegram.answers import TelegramAnswers
from bot.telegram.decode import PLATFORM
from bot.telegram.inline import InlineOffer, encode_offer, inline_place
from bot.telegram.layout import CATALOGUE_DOMAIN
from engine import games
from storage import GameRow, PlaceRow


class InlineGames:
    """Shows games in chats that the bot is not in."""

    def __init__(self, front: GuestFront, answers: TelegramAnswers, texts: Texts) -> None:
        self._front = front
        self._answers = answers
        self._store = answers.store
        self._texts = texts
        self.names = load_game_names(texts)

    async def show_game(self, message: str, offered: InlineOffer, user: User | None = None) -> tuple[str | None, Reply]:
        """Show the game that a message offers; return its code, or None and the refusal.

        `user` is the person who posted the message, with Telegram's current data, None if somebody else has pressed
        first.
        """
        if offered.what not in games:
            return await self._show(message, offered, user)
        who = user or await self._last_known_user(offered.user)
        row = await self._place(message, who)
        reply = await self._front.command(
            Request(event=f"i{message}", user=who, place=inline_place(message)), "play", {"game": offered.what}
        )
        found = await self._store.games.list_in_place(row.id)
        return (found[0].id if found else None), reply

    async def find_game(self, code: str) -> GameRow | None:
        """Return an open or running game, None if there is none with this code."""
        return await self._store.games.get(code)

    async def refuse_to_see(self, user: User, code: str) -> Reply | None:
        """Return a reply that says why somebody may not carry a game into another chat; None if they may."""
        alone = Place(PLATFORM, user.id, kind="private")  # the actual chat is unknown
        return await self._front.refuse_to_see(Request("", user, alone), code)

    def markup(self, what: str, user: int, token: str, label: str, voice: Speaker) -> InlineKeyboardMarkup:
        """Return the buttons of a message without a game: without any, we would never learn its id."""
        row = [InlineKeyboardButton(label, callback_data=encode_offer(what, user, token))]
        if what in games:
            row.append(InlineKeyboardButton(voice.line("button.rules"), callback_data=press("rules", None, 0, what)))
        return InlineKeyboardMarkup([row])

    def challenge(self, key: str, name: str, voice: Speaker) -> Text:
        """Return the text of a challenge that anybody may accept."""
        game_voice = voice.of(key)
        game = Span(game_voice.line("name"), bold=True)
        return join(
            [
                voice.of(CATALOGUE_DOMAIN).say("inline.challenge", who=Span(name, bold=True), game=game),
                game_voice.say("tagline"),
            ]
        )

    async def _show(self, message: str, offered: InlineOffer, user: User | None) -> tuple[str | None, Reply]:
        """Show an existing game in a message."""
        row = await self._store.games.get(offered.what)
        if row is None:
            return None, Reply()
        poster = user or await self._last_known_user(offered.user)
        refused = await self.refuse_to_see(poster, row.id)
        if refused is not None:
            return None, refused
        place = await self._place(message, poster)
        if place.id not in {post.place.id for post in await self._store.posts.list_for_game(row.id)}:
            await self._store.posts.add(row.id, place.id, self._answers.ephemeral.clock())
        self._answers.adapter.moved()
        return row.id, Reply()

    async def _place(self, message: str, user: User) -> PlaceRow:
        """Return the place of a message; its language is that of the person who posted it."""
        where = inline_place(message)
        row = await self._store.places.get_or_create(
            where.platform, where.channel, where.thread, where.group, where.kind, where.title
        )
        spoken = self._texts.supported(user.language)
        if spoken is not None and not row.effective.get("language"):
            return await self._store.places.change_settings(row.id, {"language": spoken}) or row
        return row

    async def _last_known_user(self, user: int) -> User:
        """Return a user with the stored data."""
        number = str(user)
        known = [
            each for each in await self._store.people.identities_with_prefix(PLATFORM, number) if each.user_id == number
        ]
        if not known:
            return User(PLATFORM, number, number)
        return User(PLATFORM, number, known[0].name, known[0].language)
