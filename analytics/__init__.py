"""What the spans say: which are tool calls, what each came to, how often, and whether somebody must wake up."""
