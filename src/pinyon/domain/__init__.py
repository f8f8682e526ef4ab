"""The words of Pinyon as frozen values. No I/O, no clock, no randomness."""
