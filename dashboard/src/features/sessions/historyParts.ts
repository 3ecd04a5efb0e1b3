/** What the history loads later, in one file: both parts are shown. */
export { Filters } from './Filters';
export { HistoryTable } from './HistoryTable';
