"""What a layer holds: all that is known of each URL folded into one, and who is chosen of them."""
