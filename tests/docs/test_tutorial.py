"""What the pages show in Python is run, in order, and prints what stands below it."""


def test_examples_in_python_do_what_is_shown(python_page, blocks_of, place, capsys):
    namespace = {"__name__": "example"}
    blocks = blocks_of(python_page)
    is_readme = python_page.name == "README.md"
    for block, below in zip(blocks, [*blocks[1:], None], strict=True):
        if block.info != "python":
            continue
        # The empty lines before it make a traceback name the line of the page.
        source = "\n" * (block.line - 1) + block.body
        exec(compile(source, str(python_page), "exec"), namespace)  # noqa: S102 - our own pages
        printed = capsys.readouterr().out

        is_shown = below is not None and below.info == "text" and below.follows_at_once
        expected = below.body if is_shown else ""
        if is_shown or not is_readme:
            assert printed == expected, f"{python_page.name}, line {block.line}"
