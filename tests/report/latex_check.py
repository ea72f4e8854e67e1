"""A check of LaTeX without LaTeX: groups, environments, columns, and that nothing special stands alone."""

from __future__ import annotations

import re

COMMANDS = {
    "documentclass", "usepackage", "begin", "end", "section", "subsection", "caption", "label", "toprule", "midrule",
    "bottomrule", "centering", "small", "footnotesize", "textbf", "textsuperscript", "item", "raggedright", "ttfamily",
    "arraybackslash", "linewidth", "allowbreak", "textbackslash", "textasciitilde", "textasciicircum", "textless",
    "textgreater", "textbar", "textquotedbl", "textquotesingle", "textasciigrave", "ensuremath", "ldots", "infty", "times",
    "S",
}  # fmt: skip


def check(text: str) -> None:
    """Raise AssertionError where a document cannot be right."""
    lines = [line for line in text.split("\n") if not line.startswith("%")]
    body = "\n".join(lines)
    assert body.isascii() or all(one == "\n" or one.isprintable() for one in body)
    assert set(re.findall(r"\\([A-Za-z]+)", body)) <= COMMANDS
    assert set(re.findall(r"\\([^A-Za-z])", body)) <= set("\\{}$&#_%,")
    plain = re.sub(r"\\[^A-Za-z]", lambda found: "@" if found[0] != "\\\\" else "\\\\", body)
    depth = 0
    for sign in plain:
        depth += (sign == "{") - (sign == "}")
        assert depth >= 0
    assert depth == 0
    assert not re.search(r"[%#~^]", plain)
    assert "$" not in re.sub(r"\$p(<0\.05)?\$", "", plain)
    stack = []
    for kind, name in re.findall(r"\\(begin|end)\{(\w+)\}", plain):
        if kind == "begin":
            stack.append(name)
        else:
            assert stack.pop() == name
    assert not stack
    assert not re.search(r"_", re.sub(r"\\label\{[^}]*\}", "", plain))
    for columns, table in re.findall(
        r"\\begin\{tabular\}\{@\{\}(.*?)@\{\}\}\n(.*?)\\end\{tabular\}\n", plain, re.DOTALL
    ):
        wanted = len(re.sub(r">\{[^}]*\}p\{[^}]*\}", "p", columns))
        flat = re.sub(r"\\begin\{tabular\}\[t\].*?\\end\{tabular\}", "", table)
        rows = [row for row in flat.split("\n") if row.endswith(r"\\")]
        assert rows
        assert {row.count("&") + 1 for row in rows} == {wanted}
