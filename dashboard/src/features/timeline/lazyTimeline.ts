import { createContext } from 'react';

/** Timelines with more items render only those near the viewport. */
export const LAZY_THRESHOLD = 200;

/** Whether the lists of the timeline render lazily, and whether they have all steps yet. */
export const LazyContext = createContext<'off' | 'partial' | 'complete'>('off');
