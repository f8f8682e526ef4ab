"""The demo: seven months of somebody's conversations, and what an assistant makes of them."""
