import { Box } from '@mui/material';
import type { LanguageFn } from 'highlight.js';
import bash from 'highlight.js/lib/languages/bash';
import diff from 'highlight.js/lib/languages/diff';
import ini from 'highlight.js/lib/languages/ini';
import json from 'highlight.js/lib/languages/json';
import sql from 'highlight.js/lib/languages/sql';
import yaml from 'highlight.js/lib/languages/yaml';
import { createLowlight } from 'lowlight';
import { memo, useMemo, type ReactNode } from 'react';

/** Of a log, the level alone: colors of dates and numbers say nothing. */
const log: LanguageFn = () => ({
  name: 'Log',
  contains: [
    {
      scope: 'keyword',
      match: /\b(?:ERROR|ERR|FATAL|CRITICAL|PANIC)\b|\blevel=(?:error|fatal|panic)\b/,
    },
    { scope: 'literal', match: /\b(?:WARN|WARNING)\b|\blevel=warn(?:ing)?\b/ },
  ],
});

const lowlight = createLowlight({ json, yaml, bash, sql, ini, diff, log });
lowlight.registerAlias({ bash: ['shell', 'console', 'sh'], yaml: ['yml'], ini: ['toml', 'conf'] });

/** The colors have a contrast above 4.5 on the background of code in both color schemes. */
const styles = {
  '& .hljs-attr, & .hljs-attribute, & .hljs-section, & .hljs-meta': {
    color: 'var(--tarsy-info-fg)',
  },
  '& .hljs-string, & .hljs-addition': { color: 'var(--tarsy-success-fg)' },
  '& .hljs-number, & .hljs-literal, & .hljs-symbol': { color: 'var(--tarsy-warning-fg)' },
  '& .hljs-keyword, & .hljs-built_in, & .hljs-deletion': { color: 'var(--tarsy-error-fg)' },
  '& .hljs-comment': { color: 'var(--tarsy-neutral-fg)', fontStyle: 'italic' },
} as const;

type Node = ReturnType<typeof lowlight.highlight>['children'][number];

function render(node: Node, key: number): ReactNode {
  if (node.type === 'text') return node.value;
  if (node.type !== 'element') return null;
  const names = node.properties.className;
  return (
    <span key={key} className={Array.isArray(names) ? names.join(' ') : undefined}>
      {node.children.map((child, index) => render(child as Node, index))}
    </span>
  );
}

interface HighlightedBodyProps {
  readonly text: string;
  readonly language: string;
}

function HighlightedBody({ text, language }: HighlightedBodyProps) {
  const nodes = useMemo(
    () => (lowlight.registered(language) ? lowlight.highlight(language, text).children : null),
    [text, language],
  );
  if (nodes === null) return text;
  return (
    <Box component="span" data-language={language} sx={styles}>
      {nodes.map(render)}
    </Box>
  );
}

/** Memoized because parsing is expensive. */
export default memo(HighlightedBody);
