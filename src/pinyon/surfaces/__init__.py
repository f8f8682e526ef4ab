"""Decode, call, encode: no rule of the product lives here."""
