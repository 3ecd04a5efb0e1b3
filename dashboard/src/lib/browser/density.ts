/** How much of a session a row of the lists shows. */
import { storedSetting } from './storedSetting';

/** `compact` is one line a row. */
export type Density = 'comfortable' | 'compact';

const setting = storedSetting<Density>('tarsy-density', ['comfortable', 'compact']);

export const setDensity = setting.write;
export const useDensity = setting.useValue;
