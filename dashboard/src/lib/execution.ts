/** What a model ran in its own sandbox, as the timeline writes it: fenced code, then the output. */

export interface ExecutedCode {
  readonly code: string;
  readonly language: string;
  readonly output: string;
}

/** The parts of an execution; text that has no fenced code is code as a whole. */
export function readExecution(content: string): ExecutedCode {
  const fenced = /^\s*(`{3,})([\w+-]*)[ \t]*\n([\s\S]*?)\n?\1[ \t]*(?:\n([\s\S]*))?$/.exec(content);
  if (!fenced) return { code: content, language: '', output: '' };
  return {
    language: fenced[2] ?? '',
    code: fenced[3] ?? '',
    output: (fenced[4] ?? '').trim(),
  };
}
