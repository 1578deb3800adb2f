"""What a result says of itself: unwrapping, payload rules, and their evidence."""
