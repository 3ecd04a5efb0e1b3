"""Everything that knows a vendor. SDK objects never leave this package."""
