"""Who may do what: grants, and what they leave of a principal."""
