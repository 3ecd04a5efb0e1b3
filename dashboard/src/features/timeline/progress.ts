import { createContext } from 'react';
import type { Progress } from '../../live/reduce';

/** Current progress by execution id. */
export const ProgressContext = createContext<Readonly<Record<string, Progress>>>({});
