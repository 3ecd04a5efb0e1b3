import { Box } from '@mui/material';
import { createContext, useContext, type MouseEvent, type ReactNode } from 'react';
import { showBidiControls } from '../../lib/text/bidi';
import { callAnchor, splitCitations } from '../../lib/session/citations';
import { CrossIcon } from '../theme/icons';
import { InlineCode } from './InlineCode';
import { toneText } from '../badges/tones';

export interface Citations {
  /** The tool name of a call; undefined for an unknown number. */
  readonly callName: (number: number) => string | undefined;
  /** Whether the call returned an error, so that it supports nothing. */
  readonly callFailed: (number: number) => boolean;
  /** Scrolls to the call; `from` is the citation, to which the card links back. */
  readonly openCall: (number: number, from: HTMLElement) => void;
}

/** Outside a provider a citation is plain text. */
export const CitationContext = createContext<Citations>({
  callName: () => undefined,
  callFailed: () => false,
  openCall: () => undefined,
});

interface CallLinkProps {
  readonly number: number;
  readonly children: ReactNode;
}

/** A citation: a link when the page has the call, otherwise plain text. */
export function CallLink({ number, children }: CallLinkProps) {
  const { callName, callFailed, openCall } = useContext(CitationContext);
  const name = callName(number);
  if (name === undefined) return <>{children}</>;
  const failed = callFailed(number);

  function follow(event: MouseEvent<HTMLAnchorElement>): void {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    openCall(number, event.currentTarget);
  }

  return (
    <Box
      component="a"
      href={`#${callAnchor(number)}`}
      onClick={follow}
      title={failed ? `${name}, failed` : name}
      aria-label={`call ${number}: ${name}${failed ? ', failed' : ''}`}
      data-failed={failed}
      data-testid="citation"
      data-call={number}
      sx={{
        color: failed ? toneText('error') : 'primary.main',
        textDecorationStyle: failed ? 'dashed' : 'solid',
        fontWeight: 600,
        textUnderlineOffset: 2,
        whiteSpace: 'nowrap',
        '&:focus-visible': { outline: '2px solid', outlineOffset: 2, borderRadius: 0.5 },
      }}
    >
      {children}
      {failed && <CrossIcon sx={{ fontSize: '1em', verticalAlign: '-0.125em' }} />}
    </Box>
  );
}

/** Plain text with linked citations and code spans. */
export function CitedText({ text }: { readonly text: string }) {
  let offset = 0;
  return splitCitations(showBidiControls(text)).map((part) => {
    const key = offset;
    offset += typeof part === 'string' ? part.length : part.text.length;
    if (typeof part === 'string') return <InlineCode key={key} text={part} />;
    return (
      <CallLink key={key} number={part.number}>
        {part.text}
      </CallLink>
    );
  });
}
