"""When somebody must know: rules, episodes, and the notices that leave."""
