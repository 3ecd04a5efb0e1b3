/** How the elements of Markdown are shown. */
import type { SxProps, Theme } from '@mui/material';
import type { Components } from 'react-markdown';
import { defaultSchema } from 'rehype-sanitize';
import { callFromHash } from '../../lib/session/citations';
import { CallLink } from './citations';
import { ClaimMark } from '../claims/ClaimMark';
import { CopyButton } from '../text/CopyButton';
import { Highlighted } from '../text/Highlighted';

interface CodeNode {
  readonly value?: string;
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly children?: readonly CodeNode[];
}

function textOf(node: CodeNode | undefined): string {
  return node?.value ?? (node?.children ?? []).map(textOf).join('');
}

/** The language that a fence names; undefined without one. */
function languageOf(pre: CodeNode | undefined): string | undefined {
  const names = pre?.children?.[0]?.properties?.className;
  const name = Array.isArray(names) ? names.find((each) => /^language-/.test(String(each))) : null;
  return name ? String(name).slice('language-'.length).toLowerCase() : undefined;
}

/**
 * Model output is untrusted: links are allowed, but nothing may be fetched without a click, so an image is
 * rendered as a link. Headings start below the levels of the page.
 */
export const components: Components = {
  a: ({ children, href }) => {
    const call = callFromHash(href);
    if (call !== null) return <CallLink number={call}>{children}</CallLink>;
    return (
      <a href={href} target="_blank" rel="noopener noreferrer nofollow">
        {children}
      </a>
    );
  },
  img: ({ alt, src }) => (
    <a
      href={typeof src === 'string' ? src : undefined}
      target="_blank"
      rel="noopener noreferrer nofollow"
    >
      {alt === undefined || alt === '' ? 'image' : alt}
    </a>
  ),
  h1: ({ children }) => <h3>{children}</h3>,
  h2: ({ children }) => <h4>{children}</h4>,
  h3: ({ children }) => <h5>{children}</h5>,
  h4: ({ children }) => <h6>{children}</h6>,
  pre: ({ node }) => (
    <>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrollable region must take focus */}
      <pre tabIndex={0} role="group" aria-label="Code">
        <code>
          <Highlighted text={textOf(node)} language={languageOf(node)} />
        </code>
      </pre>
      {/* Without the last line break, with which a shell would run what is pasted. */}
      <CopyButton text={textOf(node).replace(/\n$/, '')} label="Copy code" />
    </>
  ),
  table: ({ children }) => (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrollable region must take focus
    <div className="table" tabIndex={0} role="group" aria-label="Table">
      <table>{children}</table>
    </div>
  ),
  // A header without text names nothing: it is an empty cell.
  th: ({ children }) =>
    children === undefined ? <td>{children}</td> : <th scope="col">{children}</th>,
  mark: ({ children, node }) => (
    <ClaimMark
      index={Number(node?.properties.dataClaim)}
      last={node?.properties.dataLast === 'true'}
    >
      {children}
    </ClaimMark>
  ),
  // The only inputs that the sanitizer leaves are those of task lists.
  input: ({ checked }) => (
    <input type="checkbox" checked={checked} disabled aria-label={checked ? 'Done' : 'Not done'} />
  ),
};

export const styles: SxProps<Theme> = {
  overflowWrap: 'anywhere',
  '& > :not(* + *)': { mt: 0 },
  '& > :last-child': { mb: 0 },
  '& p, & ul, & ol': { my: 1 },
  '& ul, & ol': { pl: 3 },
  '& li': { my: 0.25 },
  '& .contains-task-list': { listStyle: 'none', pl: 0.5 },
  '& .contains-task-list input': { mr: 0.75, verticalAlign: 'middle' },
  '& h3, & h4, & h5, & h6': { mt: 2, mb: 0.75, lineHeight: 1.3, fontWeight: 650 },
  '& h3': { fontSize: '1.1rem' },
  '& h4': { fontSize: '1rem' },
  '& h5, & h6': { fontSize: '0.925rem' },
  '& a:not([data-failed="true"])': { color: 'primary.main' },
  '& code': {
    fontFamily: 'var(--tarsy-mono)',
    fontSize: '0.85em',
    bgcolor: 'var(--tarsy-code-bg)',
    border: 1,
    borderColor: 'divider',
    borderRadius: 0.5,
    px: 0.5,
  },
  '& pre': {
    bgcolor: 'var(--tarsy-code-bg)',
    border: 1,
    borderColor: 'divider',
    borderRadius: 1,
    p: 1.25,
    mt: 1,
    mb: 0.5,
    overflow: 'auto',
  },
  '& pre code': { border: 0, p: 0, bgcolor: 'transparent' },
  '& .table': { overflowX: 'auto' },
  '& table': { borderCollapse: 'collapse', fontSize: '0.85rem' },
  '& th, & td': { border: 1, borderColor: 'divider', px: 1, py: 0.5, textAlign: 'left' },
  '& blockquote': {
    m: 0,
    my: 1,
    pl: 1.5,
    borderLeft: 3,
    borderColor: 'divider',
    color: 'text.secondary',
  },
  '& hr': { border: 0, borderTop: 1, borderColor: 'divider', my: 2 },
};

/** Marks come from `remarkClaims` alone: Markdown has none, and HTML of models is not parsed. */
export const schema = {
  ...defaultSchema,
  tagNames: [...(defaultSchema.tagNames ?? []), 'mark'],
  attributes: { ...defaultSchema.attributes, mark: ['dataClaim', 'dataLast'] },
};
