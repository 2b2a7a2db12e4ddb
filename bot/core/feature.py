"""The presses of forms, whichever command they fill in."""

from typing import Final

from bot.core.commands import PressRule
from bot.core.features import Feature
from bot.core.form_presses import form_kind, press_form
from bot.core.permissions import Right
from bot.interface.presses import FORM_PRESS

FEATURE: Final = Feature(presses={FORM_PRESS: PressRule(press_form, form_kind, right=Right.DEPENDS)})
