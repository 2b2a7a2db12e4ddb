"""Who is in a chat, as the Bot API says it."""

from collections.abc import Mapping

from tests.fakes.platform import refuse_if
from tests.fakes.telegram.schema import Json, bad_request
from tests.fakes.telegram.world import Account, Chat

ADMINISTRATORS = ("creator", "administrator")


def member_json(chat: Chat, user: Json, number: int) -> Json:
    """Return what somebody is in a chat, as the Bot API does."""
    status = chat.status.get(number, "left" if chat.group else "member")
    made: Json = {"status": status, "user": user}
    if status == "creator":
        made["is_anonymous"] = False
    elif status == "administrator":
        rights: tuple[str, ...] = (
            "can_be_edited", "is_anonymous", "can_manage_chat", "can_delete_messages", "can_manage_video_chats",
            "can_restrict_members", "can_promote_members", "can_change_info", "can_invite_users", "can_post_stories",
            "can_edit_stories", "can_delete_stories",
        )  # fmt: skip
        made |= dict.fromkeys(rights, False)
    elif status == "kicked":
        made["until_date"] = 0
    elif status == "restricted":
        rights = (
            "can_send_messages", "can_send_audios", "can_send_documents", "can_send_photos", "can_send_videos",
            "can_send_video_notes", "can_send_voice_notes", "can_send_polls", "can_send_other_messages",
            "can_add_web_page_previews", "can_react_to_messages", "can_edit_tag", "can_change_info",
            "can_invite_users", "can_pin_messages", "can_manage_topics",
        )  # fmt: skip
        made |= {"is_member": True, "until_date": 0} | dict.fromkeys(rights, False)
        made["can_send_messages"] = made["can_send_photos"] = chat.may_send
    return made


def check_may_be_told(chat: Chat, number: int, bot: int) -> None:
    """Raise the error for a bot that is not told who is in a chat.

    "Query ChatMember in (super)groups with hidden users without having admin rights" (teloxide issue 1349).
    """
    refuse_if(
        chat.hides_members and number != bot and chat.status.get(bot) not in ADMINISTRATORS,
        bad_request("CHAT_ADMIN_REQUIRED" if chat.status.get(number) else "PARTICIPANT_ID_INVALID"),
    )


def administrators_json(chat: Chat, people: Mapping[int, Account], bot: int) -> list[Json]:
    """Return "a list of administrators in a chat, which aren't bots" (Bot API, getChatAdministrators)."""
    found = [number for number, status in chat.status.items() if status in ADMINISTRATORS and number != bot]
    return [member_json(chat, people[each].to_json(), each) for each in found]
