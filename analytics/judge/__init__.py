"""What each tool call came to, and on which evidence."""
