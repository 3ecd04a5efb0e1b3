import { Box } from '@mui/material';
import { createContext, useContext, type MouseEvent, type ReactNode } from 'react';
import { callAnchor, splitCitations } from '../lib/citations';

export interface Citations {
  /** What a call is called; nothing for a number that no call of this page has. */
  readonly nameOf: (number: number) => string | undefined;
  /** Leads the reader to the call; `from` is where it was cited. */
  readonly open: (number: number, from: HTMLElement) => void;
}

/** Without a page of calls around it a citation is plain text. */
export const CitationContext = createContext<Citations>({
  nameOf: () => undefined,
  open: () => undefined,
});

interface CallLinkProps {
  readonly number: number;
  readonly children: ReactNode;
}

/** A cited call: a link if the page knows the call, else just its text. */
export function CallLink({ number, children }: CallLinkProps) {
  const { nameOf, open } = useContext(CitationContext);
  const name = nameOf(number);
  if (name === undefined) return <>{children}</>;

  function follow(event: MouseEvent<HTMLAnchorElement>): void {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    open(number, event.currentTarget);
  }

  return (
    <Box
      component="a"
      href={`#${callAnchor(number)}`}
      onClick={follow}
      title={name}
      aria-label={`call ${number}: ${name}`}
      data-testid="citation"
      data-call={number}
      sx={{
        color: 'primary.main',
        fontWeight: 600,
        textUnderlineOffset: 2,
        whiteSpace: 'nowrap',
        '&:focus-visible': { outline: '2px solid', outlineOffset: 2, borderRadius: 0.5 },
      }}
    >
      {children}
    </Box>
  );
}

/** Plain text whose citations are links. */
export function CitedText({ text }: { readonly text: string }) {
  let at = 0;
  return splitCitations(text).map((part) => {
    const key = at;
    at += typeof part === 'string' ? part.length : part.text.length;
    if (typeof part === 'string') return part;
    return (
      <CallLink key={key} number={part.number}>
        {part.text}
      </CallLink>
    );
  });
}
