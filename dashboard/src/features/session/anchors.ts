/** Element id of the final analysis. */
export const ANALYSIS_ID = 'final-analysis';
