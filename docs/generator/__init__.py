"""How the reference pages are made from the code."""
