"""What the call asked for: its tool's verb and its arguments, as far as they change what an answer means."""
