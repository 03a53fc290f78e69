"""Blocks of a file that a program writes: what stands between `begin NAME` and `end NAME`, each in a comment's line."""

from __future__ import annotations

import re
from collections.abc import Mapping


def renewed(text: str, blocks: Mapping[str, str]) -> str:
    """The text with each block made anew. A block's lines end with a newline; an empty one leaves the two comments.

    Comments are `<!-- begin NAME -->` in Markdown and `# begin NAME` in YAML.
    """
    for name, block in blocks.items():
        pattern = rf"^((?:<!-- |# )begin {name}(?: -->)?\n).*?^((?:<!-- |# )end {name}(?: -->)?)$"

        def made(match: re.Match[str], block: str = block) -> str:
            return f"{match[1]}{block}{match[2]}"

        text, found = re.subn(pattern, made, text, flags=re.DOTALL | re.MULTILINE)
        assert found == 1, f"there is no block {name}, or more than one"
    return text
