"""Whether answers can be believed on real tables; one module per promise."""
