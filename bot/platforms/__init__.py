"""Everything that people and programs reach us by: Discord, Telegram, the page, apps, public pages, webhooks; and
the application that they all ask."""
