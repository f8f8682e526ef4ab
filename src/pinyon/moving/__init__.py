"""Moving memories: export, import, backup, restore."""
