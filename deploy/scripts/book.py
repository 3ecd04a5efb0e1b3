"""mdBook's preprocessor: makes the pages of docs/ chapters that stand alone.

Links out of docs/ become the names of files of the checkout, and every decision becomes a chapter below their list.
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

_LINK = re.compile(r"\[([^\]]*)\]\(([^)#:\s]+)(#[^)]*)?\)")
_DECISIONS = "adr/README.md"


def inside(text: str, page: Path, docs: Path) -> str:
    """The text without links that leave the folder; mdBook's page of a README is an index."""

    def replaced(match: re.Match[str]) -> str:
        target = (docs / page).parent.joinpath(match[2]).resolve()
        if target.is_relative_to(docs):
            return f"[{match[1]}]({re.sub('README.md$', 'index.md', match[2])}{match[3] or ''})"
        path = target.relative_to(docs.parent)
        return match[1] if match[1].strip("`") == str(path) else f"{match[1]} (`{path}`)"

    return _LINK.sub(replaced, text)


def decision(path: Path, docs: Path, parents: list[str]) -> dict[str, Any]:
    """The chapter of a decision."""
    text = path.read_text(encoding="utf-8")
    relative = str(path.relative_to(docs))
    chapter = {
        "name": text.splitlines()[0].lstrip("# "),
        "content": inside(text, Path(relative), docs),
        "number": None,
        "sub_items": [],
        "path": relative,
        "source_path": relative,
        "parent_names": parents,
    }
    return {"Chapter": chapter}


def visit(items: list[Any], docs: Path) -> None:
    """Rewrites chapters and those below them."""
    for item in items:
        chapter = item.get("Chapter") if isinstance(item, dict) else None
        if not chapter or not chapter.get("source_path"):
            continue
        chapter["content"] = inside(chapter["content"], Path(chapter["source_path"]), docs)
        if chapter["source_path"] == _DECISIONS:
            found = sorted((docs / "adr").glob("[0-9]*.md"))
            chapter["sub_items"] = [decision(path, docs, [*chapter["parent_names"], chapter["name"]]) for path in found]
        else:
            visit(chapter["sub_items"], docs)


def main() -> None:
    """Reads the book and writes it again, as mdBook's protocol wants; every output format is supported."""
    if sys.argv[1:2] == ["supports"]:
        return
    context, book = json.load(sys.stdin)
    visit(book["items"], Path(context["root"]).resolve())
    json.dump(book, sys.stdout)


if __name__ == "__main__":
    main()
