"""How each artefact is made. One file for each kind."""
