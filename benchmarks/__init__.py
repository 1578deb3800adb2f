"""Speed, measured side by side in one run on this machine; nothing here is a test."""
