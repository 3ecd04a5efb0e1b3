/** The text of an alert for people, where its sender put it. */
import { parseJson } from '../../lib/text/json';

/** Where senders write it: Alertmanager and Grafana among annotations, others at the top. */
const names = ['description', 'summary', 'message', 'body', 'text'] as const;

const MAX_CHARACTERS = 600;

/** Null of an alert that has none: its data is a text of its own, or names it otherwise. */
export function alertDescription(data: string): string | null {
  const alert = parseJson(data);
  if (!isRecord(alert)) return describedInText(data);
  const places = [alert['annotations'], alert['commonAnnotations'], alert];
  for (const place of places) {
    if (!isRecord(place)) continue;
    for (const name of names) {
      const text = place[name];
      if (typeof text === 'string' && text.trim() !== '') return shortened(text.trim());
    }
  }
  return null;
}

/** Of an alert of a source, whose data is a text: its annotations have a line each, and go on in lines that are further in. */
function describedInText(data: string): string | null {
  const [, annotations] = /^annotations:\n((?: {2}.*(?:\n|$))+)/m.exec(data) ?? [];
  if (annotations === undefined) return null;
  for (const name of names) {
    const [, text] = new RegExp(`^ {2}${name}: (.*(?:\\n {3}.*)*)`, 'm').exec(annotations) ?? [];
    if (text !== undefined && text.trim() !== '') return shortened(text.trim());
  }
  return null;
}

function shortened(text: string): string {
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
