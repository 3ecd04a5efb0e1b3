import type { Tone } from '../../lib/session/status';

/** Text and background of a tone; all pairs have a contrast above 4.5 in both color schemes. */
export function toneColors(tone: Tone): { color: string; bgcolor: string } {
  return { color: `var(--tarsy-${tone}-fg)`, bgcolor: `var(--tarsy-${tone}-bg)` };
}

export function toneText(tone: Tone): string {
  return `var(--tarsy-${tone}-fg)`;
}
