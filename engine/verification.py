"""The check that the chance of a recorded game was fair (docs/fair-chance.md)."""

from dataclasses import dataclass, field

from engine.core import CHANCE, shorten_value
from engine.fair import (
    CHAIN_PREFIX,
    MAX_CHAIN_LENGTH,
    MAX_CHAINS,
    UNKNOWN_ID,
    Draw,
    draw_seats,
    hash_seed,
    is_hex,
    leads_to,
    public_text,
)
from engine.record import DrawIds, InvalidRecord, NewChain, Record


@dataclass(frozen=True)
class Verified:
    """What was checked: `seats` drawn by lot (none in a rematch), and `draws` rolls and deals.

    In records of version 2, of these and the lot `with_ids` took ids of people, `unnamed` are the joinings that gave
    none, and `chains` were begun anew. `nothing_new` says for each seat after how many of its turns chance acted
    though the turn had given nothing new: it was typed, a computer's, or a link was held back.
    """

    seats: int
    draws: int
    with_ids: int = 0
    unnamed: int = 0
    chains: int = 0
    nothing_new: tuple[int, ...] = ()


def verify(record: Record) -> Verified:
    """Check the commitment, the lot for the seats, every roll and deal, and the chains of hashes.

    InvalidRecord says what fails and where: no-seed, no-seed-hash, other-seed, no-joinings, other-lot,
    other-chance, broken-draw, other-chain, chain-too-soon, or whatever `replay` finds.
    """
    if record.seed_hash is None:
        raise InvalidRecord("no-seed-hash")
    if record.seed is None:
        raise InvalidRecord("no-seed")
    if not is_hex(record.seed) or hash_seed(record.seed) != record.seed_hash:
        raise InvalidRecord("other-seed")
    if len(record.joined) != record.seats:
        raise InvalidRecord("no-joinings", joined=len(record.joined), seats=record.seats)
    if record.seated and sorted(joining.seat for joining in record.joined) != list(range(record.seats)):
        raise InvalidRecord("broken-joining")
    taken = {took.draw: took.ids for took in record.taken}
    _check_taken(record)
    seats = _check_lot(record, _ids_of_draw(record, taken, 0))
    draws = 0
    public = _public_id(record)
    state = record.first_state()
    idle, actor, newest = [0] * record.seats, CHANCE, dict(taken.get(0, ()))
    for number, (action, after) in enumerate(record.replay(), start=1):
        if state.to_move == CHANCE and not action.is_drop:
            draws += 1
            drawn = state.sample_chance(Draw(record.seed, public, draws, _ids_of_draw(record, taken, draws)))
            if drawn != action:
                raise InvalidRecord(
                    "other-chance",
                    draw=draws,
                    text=shorten_value(action.text),
                    drawn=drawn.text,
                    **record.place(number),
                )
            now = dict(taken.get(draws, ()))
            if actor != CHANCE and now.get(actor) == newest.get(actor):
                idle[actor] += 1
            newest, actor = now, CHANCE
        elif not action.is_drop and state.to_move is not None:
            actor = state.to_move
        state = after
    late = [number for number in taken if number > draws]
    if late:
        raise InvalidRecord("broken-draw", draw=late[0])
    unnamed = sum(joining.event.endswith(f":{UNKNOWN_ID}") for joining in record.joined)
    if record.version == 1:
        return Verified(seats, draws)
    return Verified(seats, draws, len(taken), unnamed, len(record.chains), tuple(idle) if any(idle) else ())


def _public_id(record: Record) -> str:
    return public_text(record.game_id, [joining.event for joining in record.joined])


def _ids_of_draw(record: Record, taken: dict[int, tuple[tuple[int, str], ...]], draw: int) -> list[str] | None:
    """Return the ids that a draw took, None where records knew none yet."""
    return None if record.version == 1 else [each for _, each in taken.get(draw, ())]


def _check_lot(record: Record, ids: list[str] | None) -> int:
    """Check the lot for the seats, and return of how many seats it was."""
    if record.seated:
        return 0
    drawn = draw_seats(record.seed or "", _public_id(record), record.seats, ids)
    for joining, seat in zip(record.joined, drawn, strict=True):
        if joining.seat != seat:
            raise InvalidRecord("other-lot", event=shorten_value(joining.event), seat=joining.seat, drawn=seat)
    return len(drawn)


def _check_taken(record: Record) -> None:
    """Check that draws took ids in their order, and that links follow from what was committed to before."""
    heads = {joining.seat: _Heads() for joining in record.joined}
    for joining in record.joined:
        if joining.event.startswith(CHAIN_PREFIX) and joining.event != f"{CHAIN_PREFIX}{UNKNOWN_ID}":
            heads[joining.seat].links.append(joining.event.removeprefix(CHAIN_PREFIX))
    for number, chain in enumerate(record.chains):
        if number >= MAX_CHAINS or chain.seat not in heads or not is_hex(chain.top):
            raise InvalidRecord("broken-chain", seat=chain.seat)
        heads[chain.seat].later.append(chain)
    joined = [joining.seat for joining in record.joined]
    before, past = -1, dict[int, dict[int, str]]()
    for took in record.taken:
        seats = [seat for seat, _ in took.ids]
        order = [seat for seat in (joined if took.draw == 0 else sorted(joined)) if seat in seats]
        if not seats or seats != order or took.draw <= before or (took.draw == 0 and record.seated):
            raise InvalidRecord("broken-draw", draw=took.draw)
        before, past[took.draw] = took.draw, dict(took.ids)
        for seat, each in took.ids:
            if each.startswith(CHAIN_PREFIX):
                heads[seat].follow(took, seat, each.removeprefix(CHAIN_PREFIX), past)


@dataclass
class _Heads:
    """What a seat's links have to lead to: the newest link, or the hash committed to, and chains begun anew."""

    links: list[str] = field(default_factory=list)
    later: list[NewChain] = field(default_factory=list)
    left: int = MAX_CHAIN_LENGTH

    def follow(self, took: DrawIds, seat: int, link: str, past: dict[int, dict[int, str]]) -> None:
        """Take the link that a draw took; InvalidRecord if nothing that was given before comes after it."""
        if link in self.links:
            return
        begun = {chain.top: chain for chain in self.later if chain.draw <= took.draw}
        # No chain is longer than the longest, however many draws its links are spread over.
        found = leads_to(link, self.links, self.left)
        if found is not None:
            self.links, self.left = [link], self.left - found[1]
            return
        found = leads_to(link, begun)
        if found is None:
            raise InvalidRecord("other-chain", draw=took.draw, seat=seat)
        chain = begun[found[0]]
        earlier = [past[number] for number in past if number < chain.draw]
        known = earlier[-1] if earlier else {}
        now = past[took.draw]
        if all(known.get(other) == each for other, each in now.items() if other != seat):
            raise InvalidRecord("chain-too-soon", draw=took.draw, seat=seat)
        self.links, self.left = [link], MAX_CHAIN_LENGTH - found[1]
        self.later = [other for other in self.later if other is not chain]
