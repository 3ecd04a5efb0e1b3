"""The offline analyst: rules, not a model. It requests read-only tools and quotes their results."""
