"""All interfaces to people and programs: Discord, Telegram, page, apps, public pages, webhooks; and the application."""
