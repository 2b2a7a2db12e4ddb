"""The presses of all forms, and those that run a command."""

from typing import Final

from bot.kernel.features import Feature, PressRule
from bot.kernel.form_presses import form_kind, opens_page, press_form, press_run, run_kind, run_opens_form, run_right
from bot.kernel.permissions import Right
from bot.kernel.presses import FORM_PRESS, RUN_PRESS

FEATURE: Final = Feature(
    presses={
        FORM_PRESS: PressRule(press_form, form_kind, right=Right.DEPENDS, opens=opens_page),
        RUN_PRESS: PressRule(press_run, run_kind, right=run_right, opens=run_opens_form),
    }
)
