"""The commands and presses at the table."""

from typing import Final

from bot.core.commands import MY_GAME_PARAMETER, PRIVATE, Command, PressRule, on_table
from bot.core.context import Public
from bot.core.features import Feature
from bot.core.permissions import Right
from bot.core.question_cards import PRIVATE_CHOICE, PUBLIC_CHOICE
from bot.entry.commandline import Parameter
from bot.play import commands, offer_commands
from bot.play.nonmember import answer_with_board, ask_in_place

_MINE: Final = (MY_GAME_PARAMETER,)

FEATURE: Final = Feature(
    commands=(
        Command(
            "board",
            commands.board,
            (MY_GAME_PARAMETER, Parameter("text", "choice", choices=(commands.YES, commands.NO))),
            rank=50,
            listed=True,
            public=Public.CHANGE,
        ),
        Command("resign", commands.resign, _MINE, rank=90, public=PRIVATE),
        Command("undo", offer_commands.undo, _MINE, rank=100, public=Public.CHANGE),
        Command("draw", offer_commands.draw, _MINE, rank=110, public=Public.CHANGE),
        Command("pause", offer_commands.pause, _MINE, rank=120, public=Public.CHANGE),
        Command("close", offer_commands.close, _MINE, rank=130, public=Public.CHANGE, right=Right.MANAGER),
    ),
    presses={
        PUBLIC_CHOICE: PressRule(commands.press_choice, Public.MOVE),
        PRIVATE_CHOICE: PressRule(answer_with_board(commands.press_choice), Public.MOVE),
        "board": PressRule(on_table(commands.show_board), Public.CHANGE),
        "show": PressRule(answer_with_board(commands.press_show), PRIVATE),
        "words": PressRule(commands.press_words, PRIVATE),
        "reach": PressRule(on_table(commands.press_reach), PRIVATE),
        "resign": PressRule(ask_in_place(on_table(commands.ask_whether_to_resign)), PRIVATE),
        "resign!": PressRule(answer_with_board(commands.press_resign_yes), Public.CHANGE),
        "keep": PressRule(answer_with_board(commands.press_keep), PRIVATE),
        "fair": PressRule(on_table(commands.press_fair), PRIVATE),
        "more": PressRule(on_table(offer_commands.press_more), PRIVATE),
        "undo": PressRule(answer_with_board(offer_commands.press_undo), Public.CHANGE),
        "offer": PressRule(offer_commands.press_offer, Public.CHANGE),
        "agree": PressRule(offer_commands.press_agree, Public.CHANGE),
        "refuse": PressRule(offer_commands.press_refuse, Public.CHANGE),
        "off": PressRule(offer_commands.press_off, Public.CHANGE),
        "close": PressRule(offer_commands.press_close, Public.CHANGE, right=Right.MANAGER),
        "share": PressRule(on_table(commands.press_share), PRIVATE),
    },
)
