"""The commands and presses at the table."""

from functools import partial
from typing import Final

from bot.kernel.commandline import Parameter
from bot.kernel.context import Public
from bot.kernel.features import MY_GAME_PARAMETER, PRIVATE, Command, Feature, PressRule, on_table
from bot.kernel.permissions import Right
from bot.kernel.question_cards import PRIVATE_CHOICE, PUBLIC_CHOICE
from bot.table import commands, offers
from bot.table.commands import answer_with_board, on_current_table, on_my_table
from storage import OfferKind

_MINE: Final = (MY_GAME_PARAMETER,)
_PAUSE: Final = partial(offers.answer_with_offer, kind=OfferKind.PAUSE)

FEATURE: Final = Feature(
    commands=(
        Command(
            "board",
            commands.board,
            (MY_GAME_PARAMETER, Parameter("text", "choice", choices=commands.IN_WORDS)),
            rank=50,
            listed=True,
            public=Public.CHANGE,
        ),
        Command("resign", on_my_table(commands.ask_whether_to_resign, "resign"), _MINE, rank=90, public=PRIVATE),
        Command("undo", on_my_table(offers.take_back, "undo"), _MINE, rank=100, public=Public.CHANGE),
        Command("draw", on_my_table(offers.draw, "offer", OfferKind.DRAW), _MINE, rank=110, public=Public.CHANGE),
        Command("pause", on_my_table(_PAUSE, "offer", OfferKind.PAUSE), _MINE, rank=120, public=Public.CHANGE),
        Command("time", on_my_table(offers.give_time, "time"), _MINE, rank=125, public=Public.CHANGE),
        Command("close", offers.close, _MINE, rank=130, public=Public.CHANGE, right=Right.MANAGER),
    ),
    presses={
        PUBLIC_CHOICE: PressRule(commands.press_choice, Public.MOVE),
        PRIVATE_CHOICE: PressRule(answer_with_board(commands.press_choice), Public.MOVE),
        "board": PressRule(on_table(commands.show_board), Public.CHANGE),
        "show": PressRule(answer_with_board(commands.press_show), PRIVATE),
        "words": PressRule(on_table(commands.show_words), PRIVATE),
        "reach": PressRule(on_table(commands.press_reach), PRIVATE),
        "resign": PressRule(on_table(commands.ask_whether_to_resign), PRIVATE),
        "resign!": PressRule(answer_with_board(on_current_table(commands.resign)), Public.CHANGE),
        "keep": PressRule(answer_with_board(commands.press_keep), PRIVATE),
        "fair": PressRule(on_table(commands.press_fair), PRIVATE),
        "more": PressRule(on_table(offers.press_more), PRIVATE),
        "undo": PressRule(answer_with_board(on_current_table(offers.take_back)), Public.CHANGE),
        "offer": PressRule(offers.press_offer, Public.CHANGE),
        "time": PressRule(answer_with_board(on_current_table(offers.give_time)), Public.CHANGE),
        "claim": PressRule(answer_with_board(on_current_table(offers.claim_draw)), Public.CHANGE),
        "agree": PressRule(offers.on_offer(offers.agree_to_offer), Public.CHANGE),
        "refuse": PressRule(offers.on_offer(offers.refuse_offer), Public.CHANGE),
        "off": PressRule(on_current_table(offers.call_off), Public.CHANGE),
        "close": PressRule(offers.press_close, Public.CHANGE, right=Right.MANAGER),
        "share": PressRule(on_table(commands.press_share), PRIVATE),
    },
)
