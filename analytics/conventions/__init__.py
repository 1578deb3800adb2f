"""One small file per convention: where a framework keeps a tool call's name, id, arguments, result and marks."""
