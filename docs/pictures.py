"""Take the pictures of the explorer and the report that the guide shows.

    make web && .venv/bin/python docs/pictures.py

It needs the extra ``dev`` and a Chromium. Colors are reduced, which makes the files small.
"""

from __future__ import annotations

import io
import shutil
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

import vicinal
from vicinal.data import load_penguins

IMAGES = Path(__file__).parent / "guide" / "images"
CHANGED = "change=%7B%22bill_length_mm%22%3A48%7D&hold=%7B%22sex%22%3A%22fixed%22%7D"
#: File, address, width and height of the window, theme.
PICTURES = [
    ("explorer-overview.png", "#/overview", 1360, 1000, "light"),
    ("explorer-cases.png", "#/cases", 1440, 800, "light"),
    ("explorer-case.png", f"#/case/30?{CHANGED}", 1360, 1180, "light"),
    ("explorer-groups.png", "#/groups?protected=sex", 1360, 900, "dark"),
    ("explorer-phone.png", f"#/case/30?{CHANGED}", 390, 1000, "dark"),
]
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"]


def picture(page: Page, name: str) -> None:
    """Write what the window shows, with few colors."""
    shot = Image.open(io.BytesIO(page.screenshot()))
    shot.convert("RGB").quantize(200, dither=Image.Dither.NONE).save(IMAGES / name, optimize=True)
    print(f"{name}: {(IMAGES / name).stat().st_size / 1000:.0f} kB")


def main() -> None:
    model = vicinal.Model(random_state=0).fit(load_penguins())
    with (
        tempfile.TemporaryDirectory() as folder,
        model.explore("species", open_browser=False) as explorer,
        sync_playwright() as driver,
    ):
        report = Path(folder, "report.html")
        model.report(report, "species", title="Which penguin is it?")
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        address, _, token = explorer.url.partition("#")
        for name, view, width, height, theme in PICTURES:
            context = browser.new_context(
                viewport={"width": width, "height": height}, color_scheme=theme
            )
            page = context.new_page()
            page.goto(f"{address}#{token}")
            page.get_by_role("heading", name="Features that matter").wait_for(timeout=120_000)
            page.goto(f"{address}{view}")
            page.wait_for_timeout(300)
            page.wait_for_load_state("networkidle")
            page.wait_for_timeout(700)
            picture(page, name)
            context.close()
        page = browser.new_page(viewport={"width": 1360, "height": 1000})
        page.goto(report.as_uri())
        picture(page, "report.png")
        browser.close()


if __name__ == "__main__":
    main()
