"""Make the copy of Discord's Embedded App SDK that the Activity's page uses, with the licences of all that is in it.

    python tools/make_discord_sdk.py

needs `npm` and the network; nobody who installs Tavoliere does. The versions are fixed below: a new one is taken by
changing a line, running this again and trying the Activity.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

SDK: Final = "@discord/embedded-app-sdk@2.5.0"
BUNDLER: Final = "esbuild@0.28.2"
ENTRY: Final = 'export { DiscordSDK } from "@discord/embedded-app-sdk";\n'
STATIC: Final = Path(__file__).parents[1] / "bot" / "platforms" / "apps" / "static"
BUNDLE: Final = STATIC / "discord-sdk.js"
LICENCES: Final = STATIC / "discord-sdk-licences.txt"
NOT_BUNDLED: Final = ("esbuild", "@esbuild", "@types")


def main() -> int:
    """Make both files."""
    npm = shutil.which("npm")
    if npm is None:
        print("npm is needed: install Node.js", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        (work / "package.json").write_text('{"private": true}\n', "utf-8")
        (work / "entry.js").write_text(ENTRY, "utf-8")
        install = [npm, "install", "--ignore-scripts", "--no-audit", "--no-fund", SDK, BUNDLER]
        subprocess.run(install, cwd=work, check=True)
        options = [
            "--bundle",
            "--minify",
            "--format=esm",
            "--target=es2022",
            "--legal-comments=none",
            "--outfile=out.js",
        ]
        subprocess.run([str(work / "node_modules" / ".bin" / "esbuild"), "entry.js", *options], cwd=work, check=True)
        head = f"// {SDK}, bundled by tools/make_discord_sdk.py. The licences are in discord-sdk-licences.txt.\n"
        BUNDLE.write_text(head + (work / "out.js").read_text("utf-8"), "utf-8")
        LICENCES.write_text(_licences(work / "node_modules"), "utf-8")
    return 0


def _licences(modules: Path) -> str:
    """Return the licences of all packages in a bundle."""
    parts = []
    for described in sorted(modules.rglob("package.json")):
        package = described.parent
        name = package.relative_to(modules).as_posix()
        if name.count("/") > name.startswith("@") or name.startswith((*NOT_BUNDLED, ".")):
            continue
        texts = sorted(each for each in package.iterdir() if each.name.lower().startswith(("licen", "copying")))
        if texts:
            parts.append(f"{name}\n\n{texts[0].read_text('utf-8').strip()}\n")
    return f"\n{'-' * 72}\n\n".join(parts)


if __name__ == "__main__":
    sys.exit(main())
