"""What looks after memories that are kept already."""
