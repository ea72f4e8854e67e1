"""Real pages in a real browser: the system's Chromium. Without it these tests are skipped."""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import pytest

from aboutness.app.index import Index
from aboutness.server.app import make_app
from aboutness.server.settings import Settings
from browser.watched import Watched, watched
from server.served import sky_index

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
DESKTOP = {"width": 1250, "height": 900}
PHONE = {"width": 390, "height": 844}


@dataclass
class Running:
    """A server that runs in a thread of this process."""

    url: str
    index: Index
    indexes: dict[str, Index] = field(default_factory=dict)


def run_server(indexes: dict[str, Index], settings: Settings | None = None) -> Iterator[str]:
    """Yield the address of a real server on a free port of the loopback, and end it afterwards."""
    import uvicorn

    server = uvicorn.Server(uvicorn.Config(make_app(indexes, settings), port=0, log_level="warning"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    for _ in range(600):
        if server.started:
            break
        time.sleep(0.05)
    port = server.servers[0].sockets[0].getsockname()[1]
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join(30)


@pytest.fixture(scope="session")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    return sky_index(tmp_path_factory.mktemp("browsed") / "sky.index")


@pytest.fixture(scope="session")
def server(index: Index) -> Iterator[Running]:
    """A server with the index `sky`."""
    for url in run_server({"sky": index}):
        yield Running(url, index, {"sky": index})


@pytest.fixture(scope="package")  # while it is open, an event loop runs that others must not find
def browser():
    sync_api = pytest.importorskip("playwright.sync_api")
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip("there is no Chromium on the path")
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_api.sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=found, args=arguments)
        yield launched
        launched.close()


@pytest.fixture
def open_page(browser, server: Running) -> Iterator[Callable[..., Watched]]:
    """Open pages with options of the browser; when the test ends, nothing may have gone wrong in any of them."""
    opened = []

    def opening(**options):
        context = browser.new_context(**({"viewport": DESKTOP, "base_url": server.url} | options))
        opened.append(watched(context, urlsplit(options.get("base_url", server.url)).netloc))
        return opened[-1].page

    yield opening
    for one in opened:
        one.page.context.close()
    for one in opened:
        assert one.complaints() == []


@pytest.fixture
def page(open_page):
    """A page on a desk, in light colours."""
    return open_page()


@pytest.fixture
def phone(open_page):
    """A page on a phone."""
    return open_page(viewport=PHONE, has_touch=True, is_mobile=True)


@pytest.fixture
def dark(open_page):
    """A page on a desk, in dark colours."""
    return open_page(color_scheme="dark")


@pytest.fixture
def axe():
    """Look for barriers in a page: none may be serious."""
    from axe_playwright_python.sync_playwright import Axe

    def look(page) -> None:
        found = Axe().run(page).response["violations"]
        serious = [one for one in found if one["impact"] in ("serious", "critical")]
        assert not serious, "\n".join(
            f"{one['id']}: {one['help']}: {[node['html'][:200] for node in one['nodes'][:3]]}" for one in serious
        )

    return look
