"""The page, in a real browser."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webdriver import WebDriver
from selenium.webdriver.support.ui import WebDriverWait

from app.errors import QueryFailed
from app.plan.carriers import arrow_schema
from app.plan.ddl import parse_schema
from app.sinks.arrow_result import ArrowResult
from app.web.page import load_page
from tests.web.fakes import TOKEN, FakeEngine, FakeQuery, counts, progress, serving

WAIT_S = 30.0
_BROWSERS = ("chromium", "chromium-browser", "google-chrome")
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1200,900",
)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebDriver]:
    program = next(filter(None, map(shutil.which, _BROWSERS)), None)
    driver = shutil.which("chromedriver")
    if program is None or driver is None:
        reason = "no chromium and chromedriver on this machine: install both to test the page"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    options = webdriver.ChromeOptions()
    options.binary_location = program
    for flag in (*_FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('browser')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    window = webdriver.Chrome(options=options, service=Service(driver))
    yield window
    window.quit()


@pytest.fixture(autouse=True)
def fresh(browser: WebDriver) -> None:
    browser.get("about:blank")
    browser.get_log("browser")


def until(browser: WebDriver, condition: Callable[[], Any]) -> Any:
    return WebDriverWait(browser, WAIT_S, poll_frequency=0.05).until(lambda _: condition())


def cells(browser: WebDriver, table: str) -> list[list[str]]:
    """What the table shows, read in one go: the page may replace its rows at any moment."""
    script = "return [...document.querySelectorAll(arguments[0])].map(r => [...r.cells].map(c => c.innerText))"
    rows: list[list[str]] = browser.execute_script(script, f"#{table} tbody tr")  # type: ignore[no-untyped-call]
    return rows


def click(browser: WebDriver, within: str, text: str) -> None:
    browser.find_element(By.XPATH, f"//*[@id='{within}']//button[starts-with(., '{text}')]").click()


def shown(browser: WebDriver, element: str) -> str:
    return browser.find_element(By.ID, element).text


def test_the_page_shows_queries_and_the_chosen_table(browser: WebDriver) -> None:
    failed = FakeQuery(
        name="clicks", id="2", mode="append", is_active=False, exception=QueryFailed("It ended: overflow."),
        last_progress=None,
    )  # fmt: skip
    with serving(FakeEngine(failed, counts())) as client:
        browser.get(client.url)
        until(browser, lambda: len(cells(browser, "rows")) == 5)
        clicks, words = cells(browser, "list")
        assert (clicks[0], clicks[2], clicks[5]) == ("clicks", "append", "–")
        assert clicks[1].split("\n\n") == ["failed", "It ended: overflow."]
        assert words[:6] == ["counts", "active", "complete", "1,000", "0", "7"]
        assert shown(browser, "result-title") == "counts"
        assert cells(browser, "rows")[0] == ["the", str(2**53 + 1)]
        assert cells(browser, "rows")[4] == ["null", "2"]
        click(browser, "list", "clicks")
        until(browser, lambda: "no result table" in shown(browser, "message"))
        assert browser.current_url.endswith("#clicks")
        assert browser.get_log("browser") == []


def test_the_table_refreshes_by_itself(browser: WebDriver) -> None:
    schema = parse_schema("n int")
    now = {"table": pa.table({"n": [1]}, schema=arrow_schema(schema))}
    query = FakeQuery(table=ArrowResult(schema, lambda: now["table"]))
    with serving(FakeEngine(query)) as client:
        browser.get(client.url)
        until(browser, lambda: cells(browser, "rows") == [["1"]])
        now["table"] = pa.table({"n": [2, 3]}, schema=arrow_schema(schema))
        query.last_progress = progress(8)
        query.totals = replace(query.totals, input_rows=2000)
        until(browser, lambda: cells(browser, "rows") == [["2"], ["3"]])
        until(browser, lambda: cells(browser, "list")[0][3] == "2,000")
        assert cells(browser, "list")[0][5] == "8"
        assert float(cells(browser, "list")[0][4].replace(",", "")) > 0
        query.is_active = False
        until(browser, lambda: cells(browser, "list")[0][1] == "stopped")


def test_a_click_on_a_column_sorts_by_it(browser: WebDriver) -> None:
    with serving(FakeEngine(counts())) as client:
        browser.get(client.url)
        until(browser, lambda: cells(browser, "rows"))
        click(browser, "rows", "count")
        until(browser, lambda: [row[1] for row in cells(browser, "rows")][1:] == ["7", "7", "2", "1"])
        click(browser, "rows", "count")
        until(browser, lambda: [row[1] for row in cells(browser, "rows")][:4] == ["1", "2", "7", "7"])
        head = browser.find_element(By.CSS_SELECTOR, "#rows th[aria-sort]")
        assert head.get_attribute("aria-sort") == "ascending"


def test_names_and_values_are_text_and_never_markup(browser: WebDriver) -> None:
    evil = "<img src=x onerror=document.title='hit'>"
    schema = parse_schema("v string, `<b>n</b>` string")
    table = pa.table({"v": [evil], "<b>n</b>": [evil]}, schema=arrow_schema(schema))
    with serving(FakeEngine(FakeQuery(name=evil, table=ArrowResult(schema, lambda: table)))) as client:
        browser.get(client.url)
        until(browser, lambda: cells(browser, "rows") == [[evil, evil]])
        assert browser.title == "Watertable"
        assert browser.find_elements(By.CSS_SELECTOR, "img, main b") == []
        assert cells(browser, "list")[0][0] == evil


def test_the_policy_stops_a_script_that_is_not_ours(browser: WebDriver) -> None:
    with serving(FakeEngine(counts())) as client:
        browser.get(client.url)
        until(browser, lambda: cells(browser, "rows"))
        browser.execute_script(  # type: ignore[no-untyped-call]
            "const s = document.createElement('script'); s.textContent = 'document.title = \"hit\"';"
            "document.body.append(s)"
        )
        assert browser.title == "Watertable"
        assert "Content Security Policy" in browser.get_log("browser")[0]["message"]


def test_the_page_asks_for_the_token_and_keeps_it_in_the_tab(browser: WebDriver) -> None:
    with serving(FakeEngine(counts()), http_token=TOKEN) as client:
        browser.get(client.url)
        for given, note in (("wrong", "That is not the token."), (TOKEN, "Live, each second")):
            until(browser, lambda: browser.find_element(By.ID, "token").is_displayed())
            browser.find_element(By.ID, "token").send_keys(given)
            click(browser, "ask", "Open")
            until(browser, lambda note=note: shown(browser, "note") == note)
        assert len(cells(browser, "rows")) == 5
        assert TOKEN not in browser.current_url
        browser.refresh()
        until(browser, lambda: len(cells(browser, "rows")) == 5)


def test_the_page_says_when_the_server_is_gone_and_goes_on_when_it_is_back(browser: WebDriver) -> None:
    with serving(FakeEngine(counts())) as client:
        browser.get(client.url)
        until(browser, lambda: shown(browser, "note") == "Live, each second")
        port = int(client.url.rsplit(":", 1)[1])
    until(browser, lambda: "does not answer" in shown(browser, "note"))
    with serving(FakeEngine(counts()), http_port=port):
        until(browser, lambda: shown(browser, "note") == "Live, each second")


def test_an_engine_without_queries_says_so(browser: WebDriver) -> None:
    with serving(FakeEngine()) as client:
        browser.get(client.url)
        until(browser, lambda: shown(browser, "none") == "No query runs here yet.")


def test_a_pipeline_that_does_not_run_is_told_without_its_markup(browser: WebDriver) -> None:
    with serving(FakeEngine(), {"a.py": None, "b.py": "Pipeline b.py failed: <b>not today</b>."}) as client:
        browser.get(client.url)
        until(browser, lambda: shown(browser, "problems") == "Pipeline b.py failed: <b>not today</b>.")


def test_every_control_has_a_name_and_every_table_its_heads(browser: WebDriver) -> None:
    with serving(FakeEngine(counts())) as client:
        browser.get(client.url)
        until(browser, lambda: cells(browser, "rows"))
        tree = browser.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]  # type: ignore[no-untyped-call]
        roles = {"button", "link", "combobox", "textbox", "region", "columnheader", "rowheader"}
        found = [n for n in tree if not n["ignored"] and n["role"]["value"] in roles]
        assert {"button", "link", "combobox", "region", "columnheader", "rowheader"} <= {
            n["role"]["value"] for n in found
        }
        assert [n["role"]["value"] for n in found if not n["name"]["value"]] == []


def test_the_page_loads_nothing_from_elsewhere() -> None:
    html, policy = load_page()
    assert re.findall(r"""(?:src|href)=["'](?!/|data:,)[^"']*""", html) == []
    assert re.findall(r"https?:|//[a-z]+\.|\son\w+=|style=|url\(", html) == []
    assert "unsafe" not in policy
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
