"""Generated from proto/ by scripts/gen.sh."""
