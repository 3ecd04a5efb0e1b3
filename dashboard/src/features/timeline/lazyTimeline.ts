import { createContext } from 'react';

/** Timelines with more items render only those near the viewport. */
export const LAZY_THRESHOLD = 200;

/** Whether the lists of the timeline render lazily. */
export const LazyContext = createContext(false);
