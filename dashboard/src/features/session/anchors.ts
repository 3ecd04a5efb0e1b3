/** Where the final analysis stands on the page. */
export const ANALYSIS_ID = 'final-analysis';
