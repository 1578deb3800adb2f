"""Which spans are tool calls, in whose words, and which of them are one and the same call."""
