"""Which of the closed codes a piece of evidence means: numbers, names, fixed forms, standard phrases."""
