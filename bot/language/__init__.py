"""What people read: catalogues, names, refusals in words."""
