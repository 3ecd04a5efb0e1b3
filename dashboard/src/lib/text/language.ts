/** The language of the texts that tools return. */

/** Lines that are looked at. */
const SAMPLE_LINES = 20;

const yamlLine = /^\s*(?:- )?[\w./-]+:(?: |$)|^\s*- |^---$/;
const logLine = /^\S{0,2}\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d/;

/** `json`, `yaml`, `log` or null. A text may be cut, so it is not parsed. */
export function guessLanguage(text: string): string | null {
  const start = text.trimStart();
  if (/^(?:\{\s*(?:"|\}|$)|\[\s*(?:["{[\d\]]|$))/.test(start)) return 'json';
  const lines = start.split('\n', SAMPLE_LINES).filter((line) => line.trim() !== '');
  if (lines.length < 2) return null;
  const share = (pattern: RegExp) =>
    lines.filter((line) => pattern.test(line)).length / lines.length;
  if (share(logLine) > 0.6) return 'log';
  return share(yamlLine) > 0.8 ? 'yaml' : null;
}
