#!/usr/bin/env python3
"""Writes the price list that TARSy comes with, from the one that a wheel of LiteLLM has.

    pip download --no-deps litellm==VERSION
    deploy/scripts/price_list.py litellm-VERSION-….whl DATE > libs/catalog/data/prices.csv

DATE is the day on which the wheel was published. Of each model only the price of ordinary requests is kept: not those of
batches, of priority, or of prompts above a size.
"""

import json
import sys
import zipfile
from decimal import Decimal
from pathlib import Path

PRICES = "litellm/model_prices_and_context_window_backup.json"
# The names of LiteLLM for the vendors that TARSy calls at their own addresses, each with what stands before its models.
VENDORS = {
    "openai": ("openai", ""),
    "anthropic": ("anthropic", ""),
    "gemini": ("google", "gemini/"),
    "xai": ("xai", "xai/"),
    "vertex_ai-language-models": ("vertexai", "vertex_ai/"),
    "vertex_ai-anthropic_models": ("vertexai", "vertex_ai/"),
}
MODES = ("chat", "responses")
MILLION = 1_000_000
NOTICE = """\
# The day of the list, then prices in US dollars for a million tokens: vendor, model, input, cached input, output.
# From the price list of LiteLLM {version} of {date}, written by deploy/scripts/price_list.py.
# LiteLLM: Copyright (c) 2023 Berri AI, MIT License: permission is hereby granted, free of charge, to any person obtaining a
# copy of this software and associated documentation files (the "Software"), to deal in the Software without restriction,
# including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of
# the Software, and to permit persons to whom the Software is furnished to do so, subject to the following conditions: the
# above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.
# THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
# WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
# COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE,
# ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
day,{date}"""


def dollars(of_a_token: float) -> str:
    return format((Decimal(str(of_a_token)) * MILLION).normalize(), "f")


def rows(listed: dict[str, dict]) -> set[str]:
    found = set()
    for name, entry in listed.items():
        vendor = VENDORS.get(entry.get("litellm_provider", ""))
        if vendor is None or entry.get("mode") not in MODES or name.startswith("ft:"):
            continue
        price_in, price_out = entry.get("input_cost_per_token"), entry.get("output_cost_per_token")
        # A model for which nothing is charged is a trial, which ends.
        if not price_in or not price_out:
            continue
        cached = entry.get("cache_read_input_token_cost") or price_in
        model = name.removeprefix(vendor[1])
        prices = (dollars(price_in), dollars(cached), dollars(price_out))
        found.add(",".join((vendor[0], model, *prices)))
    return found


def main(wheel: str, date: str) -> None:
    with zipfile.ZipFile(wheel) as archive:
        listed = json.loads(archive.read(PRICES))
    version = Path(wheel).name.split("-")[1]
    print(NOTICE.format(version=version, date=date))
    for row in sorted(rows(listed)):
        print(row)


if __name__ == "__main__":
    main(*sys.argv[1:])
