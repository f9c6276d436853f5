"""How pages write instants and numbers where a template does not say it."""
