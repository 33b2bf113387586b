"""A real browser, which the tests of several pages open.

It needs Chromium (Debian: `apt-get install chromium`; LAB_CHROMIUM names another). Where there is none, the tests that open
it are skipped, but never in CI.
"""

import os
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

PATIENCE_MS = 60_000.0
"""How long a browser may take to show what a test waits for: a busy machine has taken seconds to load a script."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    path = os.environ.get("LAB_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        assert os.environ.get("CI") != "true", "CI must have Chromium: .ci/run installs it"
        pytest.skip("no Chromium: `apt-get install chromium`")
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield chromium
        chromium.close()
