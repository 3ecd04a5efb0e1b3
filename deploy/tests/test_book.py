"""The documentation as a book: every page is in it, every link leads somewhere, and mdBook builds it."""

import functools
import json
import os
import re
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from documents import pages
from manifests import ROOT
from markdown_it import MarkdownIt

DOCS = ROOT / "docs"
MDBOOK = ROOT / ".tarsy/venv-deploy/bin/mdbook"
SUMMARY = DOCS / "SUMMARY.md"


@functools.cache
def links(page: Path) -> list[str]:
    """The targets of the links and pictures of a page, without those in code."""
    found: list[str] = []
    for token in MarkdownIt("commonmark").enable("table").parse(page.read_text()):
        for part in token.children or []:
            target = part.attrs.get("href") or part.attrs.get("src")
            if target:
                found.append(str(target))
    return found


@functools.cache
def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub and mdBook make them."""
    tokens = MarkdownIt("commonmark").parse(page.read_text())
    headings = [tokens[place + 1].content for place, token in enumerate(tokens) if token.type == "heading_open"]
    plain = [re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower() for heading in headings]
    return {re.sub(r"[^\w\- ]", "", heading).replace(" ", "-") for heading in plain}


def test_every_page_is_in_the_summary_once() -> None:
    listed = [target for target in links(SUMMARY) if urlsplit(target).path]
    assert len(listed) == len(set(listed))
    every = {str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md")} - {"SUMMARY.md"}
    # Decisions are chapters below their list, which names them.
    decisions = {f"adr/{target}" for target in links(DOCS / "adr/README.md") if re.match(r"\d{4}-", target)}
    assert every - decisions == set(listed), "docs/SUMMARY.md, or docs/adr/README.md for a decision, lists every page"
    assert decisions <= every


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_to_something(page: Path) -> None:
    wrong: list[str] = []
    for link in links(page):
        address = urlsplit(link)
        if address.scheme or address.netloc:
            continue
        target = (page.parent / unquote(address.path)).resolve() if address.path else page
        known = anchors(target) if target.suffix == ".md" and target.exists() else set[str]()
        if not target.exists() or (address.fragment and target.suffix == ".md" and address.fragment not in known):
            wrong.append(link)
    assert not wrong


class Page(HTMLParser):
    """The links and the ids of a page of the book."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.ids: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        if identifier := named.get("id"):
            self.ids.add(identifier)
        if tag == "a" and (target := named.get("href")):
            self.links.add(target)


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the book that mdBook builds."""
    folder = tmp_path_factory.mktemp("book")
    environment = {**os.environ, "RUST_LOG": "warn"}
    done = subprocess.run(
        [str(MDBOOK), "build", str(DOCS), "--dest-dir", str(folder)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "WARN" not in done.stdout + done.stderr
    return folder


def test_the_book_has_every_page_and_no_link_into_nothing(book: Path) -> None:
    sources = {str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md")} - {"SUMMARY.md"}
    made = {source: book / re.sub(r"README\.md$", "index.md", source).replace(".md", ".html") for source in sources}
    assert not [source for source, page in made.items() if not page.exists()]
    read = {page.resolve(): Page(page.read_text()) for page in made.values()}
    broken: list[str] = []
    for path, page in read.items():
        for link in page.links:
            address = urlsplit(link)
            if address.scheme or address.netloc:
                continue
            target = (path.parent / unquote(address.path)).resolve() if address.path else path
            found = read.get(target)
            if not target.exists() or (address.fragment and found and unquote(address.fragment) not in found.ids):
                broken.append(f"{path.relative_to(book)}: {link}")
    assert not broken


def test_the_preprocessor_answers_only_for_what_it_was_asked() -> None:
    script = ROOT / "deploy/scripts/book.py"
    chapter = {
        "name": "One",
        "content": "[A](../README.md), [b](two.md#x), [c](adr/README.md) and [`Makefile`](../Makefile)",
        "sub_items": [],
        "path": "one.md",
        "source_path": "one.md",
        "parent_names": [],
    }
    asked = [{"root": str(DOCS)}, {"items": [{"Chapter": chapter}, "Separator"]}]
    done = subprocess.run(
        ["/usr/bin/env", "python3", str(script)], input=json.dumps(asked), capture_output=True, text=True, check=True
    )
    answered = json.loads(done.stdout)["items"]
    assert answered[0]["Chapter"]["content"] == "A (`README.md`), [b](two.md#x), [c](adr/index.md) and `Makefile`"
    assert answered[1] == "Separator"
