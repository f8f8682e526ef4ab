"""The command line: the library's operations, for a terminal and for scripts."""
