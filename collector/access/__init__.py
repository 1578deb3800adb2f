"""Who may send and who may ask: tokens, roles, back-off, and the checks that keep browsers of strangers out."""
