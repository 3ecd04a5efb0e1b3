/** Loads the page anew. Overridden in tests, whose window cannot. */
export const pageReload = { run: () => window.location.reload() };
