import { createContext } from 'react';
import type { Progress } from '../../live/reduce';

/** What each execution is doing at this moment. */
export const ProgressContext = createContext<Readonly<Record<string, Progress>>>({});
