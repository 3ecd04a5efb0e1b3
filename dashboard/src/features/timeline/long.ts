import { createContext } from 'react';

/** A timeline with more steps is put on the page bit by bit, where the reader is. */
export const LONG_TIMELINE = 200;

export const LongContext = createContext(false);
