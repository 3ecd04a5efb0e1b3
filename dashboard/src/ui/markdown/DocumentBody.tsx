import { Box, Link } from '@mui/material';
import { useEffect, useMemo, type ReactNode } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import { useLocation } from 'react-router';
import remarkGfm from 'remark-gfm';
import { addressOf } from '../../lib/browser/paths';
import { components, styles } from './markdownParts';

interface DocumentBodyProps {
  /** Its path in the documentation, without `.md`. */
  readonly page: string;
  readonly text: string;
  /** Whether there is such a page. */
  readonly has: (page: string) => boolean;
}

/** A document of ours as Markdown: its headings can be linked to, and its links lead to other pages. */
export default function DocumentBody({ page, text, has }: DocumentBodyProps) {
  const { hash } = useLocation();
  const parts = useMemo(() => partsOf(page, has), [page, has]);
  useEffect(() => {
    if (hash !== '') document.getElementById(decodeURIComponent(hash.slice(1)))?.scrollIntoView();
  }, [hash]);
  return (
    <Box sx={styles}>
      <ReactMarkdown remarkPlugins={[remarkGfm]} components={parts} skipHtml>
        {text}
      </ReactMarkdown>
    </Box>
  );
}

/** Where a link of a page leads; null for a file that is no page. */
export function linkOf(page: string, href: string, has: (page: string) => boolean): string | null {
  if (/^(?:https?:|#)/.test(href)) return href;
  const { pathname, hash } = new URL(href, `https://docs/${page}.md`);
  const name = pathname.replace(/^\/|\.md$/g, '');
  return pathname.endsWith('.md') && has(name) ? addressOf(`/documentation/${name}${hash}`) : null;
}

function partsOf(page: string, has: (page: string) => boolean): Components {
  return {
    ...components,
    a: ({ children, href = '' }) => {
      const to = linkOf(page, href, has);
      return to === null ? <>{children}</> : <Link href={to}>{children}</Link>;
    },
    h1: ({ children }) => <h2 id={idOf(children)}>{children}</h2>,
    h2: ({ children }) => <h3 id={idOf(children)}>{children}</h3>,
    h3: ({ children }) => <h4 id={idOf(children)}>{children}</h4>,
    h4: ({ children }) => <h5 id={idOf(children)}>{children}</h5>,
  };
}

interface WithChildren {
  readonly props: { readonly children?: ReactNode };
}

function textOf(node: ReactNode): string {
  if (typeof node === 'string') return node;
  if (Array.isArray(node)) return node.map(textOf).join('');
  return node !== null && typeof node === 'object' && 'props' in node
    ? textOf((node as WithChildren).props.children)
    : '';
}

/** The id of a heading, as GitHub and mdBook make it of its words. */
export function idOf(heading: ReactNode): string {
  const kept = textOf(heading)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '');
  return kept.trim().replace(/\s/g, '-');
}
