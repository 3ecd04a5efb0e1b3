import { Box } from '@mui/material';
import { memo, useMemo } from 'react';
import ReactMarkdown from 'react-markdown';
import rehypeSanitize from 'rehype-sanitize';
import remarkGfm from 'remark-gfm';
import { showBidiControls } from '../../lib/text/bidi';
import { splitBlocks, type Block } from '../../lib/text/markdownBlocks';
import { completeBlock } from '../../lib/text/streamingMarkdown';
import { components, schema, styles } from './markdownParts';
import { remarkCitations } from './remarkCitations';
import { remarkHeadings } from './remarkHeadings';
import { caret } from '../theme/tokens';

/** Of what is inside of an element that others follow, nothing is last. */
const inLast = ':not(& :not(:last-child) *)';
const parts = ':is(p, ul, ol, blockquote, pre, .table)';

/** The caret stands behind the last character, also in a list, in a table and in code, which a button follows. */
const streamingStyles = {
  [`& :is(p, h3, h4, h5, h6, li):last-child:not(:has(> ${parts}))${inLast}::after`]: caret,
  [`& pre:has(+ button:last-child)${inLast} > code::after`]: caret,
  [`& .table:last-child${inLast} :is(thead:last-child, tbody) > tr:last-child > :not(:empty, :has(~ :not(:empty)))::after`]:
    caret,
} as const;

interface StreamingMarkdownBodyProps {
  readonly text: string;
  readonly testId?: string | undefined;
}

/** Markdown that still grows: a new chunk renders the last block alone. */
export default function StreamingMarkdownBody({ text, testId }: StreamingMarkdownBodyProps) {
  const blocks = splitBlocks(showBidiControls(text));
  const last = blocks.length - 1;
  return (
    <Box dir="auto" data-testid={testId} sx={[styles as object, streamingStyles]}>
      {blocks.map((block, index) => (
        <BlockText
          key={index}
          text={index === last ? completeBlock(block) : block.text}
          headingsBefore={block.headingsBefore}
        />
      ))}
    </Box>
  );
}

/** The elements of one block, without an element around them: the whole text later has the same layout. */
const BlockText = memo(function BlockText({
  text,
  headingsBefore,
}: Pick<Block, 'text' | 'headingsBefore'>) {
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
