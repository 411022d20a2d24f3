"""The explorer's page in a real Chromium, in front of a real service."""

from pathlib import Path
from urllib.parse import quote

import pytest

import vicinal
from tests.report.browser import FOUND, NAMES
from tests.web.tables import hostile
from vicinal.data import load_penguins

ROOT = Path(__file__).parents[2]
BUILT = ROOT / "src" / "vicinal" / "explorer" / "static" / "index.html"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
#: Milliseconds until something must have happened; a busy machine is slow.
PATIENCE = 30_000


@pytest.fixture(scope="session")
def browser():
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="SKIPPED: no playwright (pip install playwright)"
    )
    if FOUND is None:
        pytest.skip(f"SKIPPED: no Chromium ({', '.join(NAMES)}); Debian: apt-get install chromium")
    if not BUILT.exists():
        pytest.skip("SKIPPED: the explorer's page is not built; run `make web`")
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=FOUND, args=FLAGS)
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def service(browser):
    """The address of a service of two models: penguins, and a table that means harm."""
    from vicinal.explorer.http.server import Server
    from vicinal.explorer.http.settings import ServiceSettings
    from vicinal.explorer.served import ServedModel

    penguins = vicinal.Model(max_queries=60, random_state=0).fit(load_penguins())
    harmful = vicinal.Model(max_queries=40, ignore=[]).fit(hostile())
    days = [at % 7 for at in range(30)]
    named = {
        "ward": [f"W-{at:02d}" for at in range(30)],
        "stay": days,
        "ill": [one > 3 for one in days],
    }
    models = [
        ServedModel(penguins, "penguins", title="penguins.csv", target="species"),
        ServedModel(harmful, "hostile", title="<script>harm()</script>", target="kind"),
        ServedModel(vicinal.Model().fit(named, id="ward"), "wards", target="ill"),
    ]
    server = Server(models, ServiceSettings(port=0))
    server.start()
    yield server.address
    server.stop()


class Explorer:
    """A window with the explorer; whatever it complains about is kept."""

    def __init__(self, page, address):
        self.page, self.address, self.problems, self.hosts = page, address, [], set()
        self.received = 0
        page.set_default_timeout(PATIENCE)
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("dialog", lambda dialog: self.problems.append(f"dialog {dialog.message}"))
        page.on("request", lambda request: self.hosts.add(request.url.split("/")[2]))
        page.on("response", self._response)

    def _console(self, message):
        if message.type in ("error", "warning"):
            self.problems.append(message.text)

    def _response(self, response):
        if response.status >= 400:
            self.problems.append(f"{response.status} {response.url}")

    def open(self, view, /, **params):
        """Open a view by its address, as from a bookmark."""
        query = "&".join(f"{key}={quote(value)}" for key, value in params.items())
        self.page.goto("about:blank")
        self.page.goto(f"{self.address}#/{view}{'?' if query else ''}{query}")
        self.page.get_by_role("heading", level=1).wait_for()
        return self.page

    def settle(self):
        """Wait until nothing is asked or computed any more."""
        self.until("!document.querySelector('[aria-busy=true], main progress')")

    def until(self, expression, arg=None):
        """Wait until the page says so; Playwright's own way needs what the policy forbids."""
        for _ in range(PATIENCE // 100):
            if self.page.evaluate(expression, arg):
                return
            self.page.wait_for_timeout(100)
        raise AssertionError(f"not within {PATIENCE} ms: {expression}")


@pytest.fixture
def window(browser, service, request):
    """A window of any size and theme, given by a `window` marker or the defaults."""
    options = getattr(request, "param", {})
    context = browser.new_context(
        viewport={"width": 1440, "height": 900}, accept_downloads=True, **options
    )
    explorer = Explorer(context.new_page(), service)
    yield explorer
    context.close()
    assert explorer.problems == []
    assert explorer.hosts <= {service.split("/")[2], ""}
