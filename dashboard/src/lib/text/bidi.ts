/** Characters that reorder the text around them: embeddings, overrides and isolates. */
const controls = /[\u202a-\u202e\u2066-\u2069]/g;

/** Replaces characters that reorder text by their code points, so that a text reads in the order in which it is stored. */
export function showBidiControls(text: string): string {
  return text.replace(
    controls,
    (control) => `[U+${control.charCodeAt(0).toString(16).toUpperCase()}]`,
  );
}
