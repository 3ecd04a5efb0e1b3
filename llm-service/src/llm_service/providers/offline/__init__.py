"""The offline analyst: rules, not a model. It reads what it is given, asks for read-only tools, and quotes."""
