"""What happens to a memory on its way in. Nothing here recalls or ranks."""
