/** The states of work of people on sessions. */
export const TRIAGE = ['new', 'taken', 'done'] as const;
