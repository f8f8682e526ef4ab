"""How good recall is: on a corpus of our own, on published ones, on anybody's."""
