"""The images that ours is built on and run beside: each named by its digest, so that everybody has the same."""

import re
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
NAMED = re.compile(r"[a-z0-9./-]+:[a-z0-9.-]+@sha256:[0-9a-f]{64}")


def test_ours_is_built_on_an_image_that_is_named_by_its_digest() -> None:
    text = (ROOT / "Dockerfile").read_text("utf-8")
    stages: set[str] = set()
    for image, name in re.findall(r"^FROM (\S+)(?: AS (\S+))?$", text, re.MULTILINE):
        assert image in stages or NAMED.fullmatch(image), image
        stages.add(name)
    assert "# syntax=" not in text, "an image, too, and named by no digest"


def test_images_of_other_services_are_pinned() -> None:
    for file in sorted(ROOT.glob("compose*.yaml")):
        for name, service in yaml.safe_load(file.read_text("utf-8"))["services"].items():
            assert "build" in service or NAMED.fullmatch(service["image"]), f"{file.name}: {name}"
