from tests.discord.harness import Scene


async def test_challenge(scene: Scene) -> None:
    anna, bruno = scene.person("Anna"), scene.person("Bruno")
    await scene.command(anna, "play", game="annuvin", opponent=bruno.account)
    print(scene.board.text, scene.board.labels, scene.board.pings)
    await scene.press(bruno, scene.board, "Accept")
    print(scene.board.text, scene.board.labels, scene.board.pings, scene.board.attachments)
    mover = scene.mover
    label = scene.board.labels[0]
    await scene.press(mover, scene.board, label)
    print(mover.told.text, mover.told.labels)
    await scene.press(mover, mover.told, mover.told.labels[0])
    print(mover.told.text, [m.text for m in scene.shown], scene.board.labels, [m.labels for m in scene.shown])
