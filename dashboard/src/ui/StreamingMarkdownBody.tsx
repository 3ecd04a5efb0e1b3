import { Box } from '@mui/material';
import { memo, useMemo } from 'react';
import ReactMarkdown from 'react-markdown';
import rehypeSanitize from 'rehype-sanitize';
import remarkGfm from 'remark-gfm';
import { showBidiControls } from '../lib/bidi';
import { splitBlocks, type Block } from '../lib/markdownBlocks';
import { components, schema, styles } from './markdownParts';
import { remarkCitations } from './remarkCitations';
import { remarkHeadings } from './remarkHeadings';
import { caret } from './tokens';

/** The caret stands behind the last character, also in a list. */
const streamingStyles = {
  '& > :last-child:not(ul, ol, pre, .table)::after': caret,
  '& > :is(ul, ol):last-child > li:last-child:not(:has(> :is(p, ul, ol)))::after': caret,
} as const;

interface StreamingMarkdownBodyProps {
  readonly text: string;
  readonly testId?: string | undefined;
}

/** Markdown that still grows: a new chunk renders the last block alone. */
export default function StreamingMarkdownBody({ text, testId }: StreamingMarkdownBodyProps) {
  const blocks = splitBlocks(showBidiControls(text));
  return (
    <Box dir="auto" data-testid={testId} sx={[styles as object, streamingStyles]}>
      {blocks.map((block, index) => (
        <BlockText key={index} {...block} />
      ))}
    </Box>
  );
}

/** The elements of one block, without an element around them: the whole text later has the same layout. */
const BlockText = memo(function BlockText({ text, headingsBefore }: Block) {
  const plugins = useMemo(() => {
    const before = headingsBefore === '' ? [] : headingsBefore.split(',').map(Number);
    return [remarkGfm, () => remarkHeadings(before), remarkCitations];
  }, [headingsBefore]);
  return (
    <ReactMarkdown
      remarkPlugins={plugins}
      rehypePlugins={[[rehypeSanitize, schema]]}
      components={components}
    >
      {text}
    </ReactMarkdown>
  );
});
