import type { Tone } from '../lib/status';

/** Text and ground of a tone; the pairs keep a contrast above 4.5 in both schemes. */
export function toneColors(tone: Tone): { color: string; bgcolor: string } {
  return { color: `var(--tarsy-${tone}-fg)`, bgcolor: `var(--tarsy-${tone}-bg)` };
}

export function toneText(tone: Tone): string {
  return `var(--tarsy-${tone}-fg)`;
}
