"""`telltale demo`: the whole service on an empty temporary store, with the sample traces played in as live traffic."""
