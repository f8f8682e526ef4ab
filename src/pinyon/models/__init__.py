"""Adapters to models, one file each; what a model needs is imported when it is used."""
