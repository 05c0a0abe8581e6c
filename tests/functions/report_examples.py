"""Lists Spark's own examples that are answered in another way here, by the group of their function.

    python -m tests.functions.report_examples [names]

With `names`, those too whose rows and types are Spark's and whose generated column names are not.
"""

from __future__ import annotations

import sys
from collections import defaultdict

from app.kernel.kernel import Kernel
from tests.functions.examples import Answer, Example, answers, declared, difference, names, recorded


def main() -> None:
    examples, theirs = recorded()
    known = declared()
    with Kernel(1 << 28, 1) as kernel:
        ours = answers(kernel, examples, theirs)
    found = {sql: difference(sql, ours[sql], theirs[sql]) for sql in theirs}
    right = [example for example in examples if not found[example.sql]]
    here = [example for example in examples if example.here]
    print(f"{_share(right, examples)} of all; {_share([e for e in right if e.here], here)} of the catalogue's")
    for title, wanted in (("of functions in the catalogue", True), ("of functions that are not", False)):
        groups: dict[str, list[Example]] = defaultdict(list)
        for example in examples:
            if found[example.sql] and example.here is wanted:
                groups[example.group].append(example)
        print(f"\n# Examples {title}: {sum(map(len, groups.values()))}")
        for group, failing in sorted(groups.items(), key=lambda item: -len(item[1])):
            print(f"\n## {group} ({len(failing)})")
            for example in failing:
                reason = f"   DECLARED: {known[example.sql]}" if example.sql in known else ""
                print(f"{example.function}: {example.sql}\n    {found[example.sql][:300]}{reason}")
    if "names" in sys.argv:
        _print_names(found, ours, theirs)


def _print_names(found: dict[str, str], ours: dict[str, Answer], theirs: dict[str, Answer]) -> None:
    print("\n# Other column names")
    for sql, differs in found.items():
        if not differs and names(ours[sql]) != names(theirs[sql]):
            print(f"{sql}\n    {names(ours[sql])} for {names(theirs[sql])}")


def _share(part: list[Example], whole: list[Example]) -> str:
    return f"{len(part)}/{len(whole)} = {100 * len(part) / max(1, len(whole)):.1f} %"


if __name__ == "__main__":
    main()
