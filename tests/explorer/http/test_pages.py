import gzip

from vicinal.explorer.http.pages import load_pages


def test_files_are_known_by_their_address_and_compressed(tmp_path):
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_text("<!doctype html>", encoding="utf-8")
    (tmp_path / "assets" / "app-1a2b.js").write_text("let a = 1", encoding="utf-8")
    (tmp_path / "assets" / "font.woff2").write_bytes(b"\x00\x01")
    pages = load_pages(tmp_path)
    assert set(pages) == {"/", "/index.html", "/assets/app-1a2b.js", "/assets/font.woff2"}
    script = pages["/assets/app-1a2b.js"]
    assert script.kind == "text/javascript; charset=utf-8"
    assert gzip.decompress(script.packed) == script.content
    assert "immutable" in script.caching
    assert pages["/"].caching == "no-cache"
    assert pages["/assets/font.woff2"].packed is None


def test_without_files_the_page_says_how_to_build_them(tmp_path):
    pages = load_pages(tmp_path / "nowhere")
    assert set(pages) == {"/"}
    assert b"make web" in pages["/"].content
