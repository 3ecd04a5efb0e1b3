/** Parses a `code_execution` event: fenced code, then its output. */

export interface ExecutedCode {
  readonly code: string;
  readonly language: string;
  readonly output: string;
}

/** A text without a fenced block is returned as code. */
export function parseCodeExecution(content: string): ExecutedCode {
  const fenced = /^\s*(`{3,})([\w+-]*)[ \t]*\n([\s\S]*?)\n?\1[ \t]*(?:\n([\s\S]*))?$/.exec(content);
  if (!fenced) return { code: content, language: '', output: '' };
  return {
    language: fenced[2] ?? '',
    code: fenced[3] ?? '',
    output: (fenced[4] ?? '').trim(),
  };
}
