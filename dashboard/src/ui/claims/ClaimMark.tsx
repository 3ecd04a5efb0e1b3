import { Box } from '@mui/material';
import {
  createContext,
  useContext,
  useId,
  useLayoutEffect,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactNode,
} from 'react';
import { describeVerdict, isVerified, type Claim } from '../../lib/session/claims';
import { ClaimDetails } from './ClaimDetails';
import { toneColors, toneText } from '../badges/tones';

/** The claims of one text; marks name them by their index. */
export const ClaimsContext = createContext<readonly Claim[]>([]);

interface ClaimMarkProps {
  readonly index: number;
  /** True for the last of the pieces into which Markdown splits a claim; it has the button. */
  readonly last: boolean;
  readonly children: ReactNode;
}

/** A claim in its text, with a button that shows its verdict. */
export function ClaimMark({ index, last, children }: ClaimMarkProps) {
  const claim = useContext(ClaimsContext)[index];
  const popover = usePopover();
  if (!claim) return <>{children}</>;
  return (
    <Box
      component="mark"
      data-testid="claim"
      data-verdict={claim.verdict}
      sx={markStyles(claim)}
      {...(last ? popover.area : {})}
    >
      {children}
      {last && <VerdictButton claim={claim} popover={popover} />}
    </Box>
  );
}

function markStyles(claim: Claim) {
  const { tone } = describeVerdict(claim.verdict);
  return {
    ...(isVerified(claim)
      ? { color: 'inherit', bgcolor: 'transparent' }
      : { ...toneColors(tone), borderRadius: 0.5 }),
    textDecoration: 'underline',
    textDecorationStyle: isVerified(claim) ? 'dotted' : 'wavy',
    textDecorationColor: toneText(tone),
    textDecorationThickness: '1px',
    textUnderlineOffset: 3,
    '& code': { color: 'text.primary' },
  } as const;
}

type PopoverState = ReturnType<typeof usePopover>;

/** Open while the pointer or the focus is on the claim; a click keeps it open until Escape or another click. */
function usePopover() {
  const [pinned, setPinned] = useState(false);
  const [near, setNear] = useState(false);
  const close = () => {
    setPinned(false);
    setNear(false);
  };
  const area = {
    onMouseEnter: () => setNear(true),
    onMouseLeave: () => setNear(false),
    onFocus: () => setNear(true),
    onBlur: ({ currentTarget, relatedTarget }: React.FocusEvent) => {
      if (!currentTarget.contains(relatedTarget)) close();
    },
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      event.stopPropagation();
      close();
    },
  };
  return { open: pinned || near, pinned, setPinned, area };
}

interface VerdictButtonProps {
  readonly claim: Claim;
  readonly popover: PopoverState;
}

function VerdictButton({ claim, popover }: VerdictButtonProps) {
  const { open, pinned, setPinned } = popover;
  const { label, tone, sign } = describeVerdict(claim.verdict);
  const button = useRef<HTMLButtonElement>(null);
  const details = useId();
  return (
    <>
      <Box
        component="button"
        type="button"
        ref={button}
        className="print"
        aria-label={`${label}: ${claim.text}`}
        aria-expanded={open}
        aria-describedby={open ? details : undefined}
        onClick={() => setPinned(!pinned)}
        data-testid="claim-verdict"
        sx={buttonStyles(toneText(tone))}
      >
        {sign}
      </Box>
      {open && <Popover id={details} anchor={button} claim={claim} />}
    </>
  );
}

function buttonStyles(color: string) {
  return {
    all: 'unset',
    // Copied text is that of the finding.
    userSelect: 'none',
    cursor: 'pointer',
    color,
    fontSize: '0.75em',
    fontWeight: 700,
    lineHeight: 1,
    verticalAlign: 'super',
    minWidth: '1.5em',
    textAlign: 'center',
    display: 'inline-block',
    '&:focus-visible': { outline: '2px solid currentColor', borderRadius: 0.5 },
  } as const;
}

interface PopoverProps {
  readonly id: string;
  readonly anchor: React.RefObject<HTMLElement | null>;
  readonly claim: Claim;
}

const WIDTH_PX = 320;

/** In the browser's top layer, where neither tables nor other containers cut it off. */
function Popover({ id, anchor, claim }: PopoverProps) {
  const element = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    const span = element.current;
    if (span === null || anchor.current === null) return;
    // Missing in older browsers and in jsdom, where it is an element with a fixed position.
    if ('showPopover' in span) span.showPopover();
    const { left } = anchor.current.getBoundingClientRect();
    // Of a claim on two lines, the last one, which has the button.
    const line = [...(anchor.current.parentElement?.getClientRects() ?? [])].at(-1);
    const { top, bottom } = line ?? anchor.current.getBoundingClientRect();
    const above = bottom + span.offsetHeight + 8 > window.innerHeight;
    span.style.left = `${Math.max(8, Math.min(left - 24, window.innerWidth - WIDTH_PX - 8))}px`;
    span.style.top = `${above ? Math.max(8, top - span.offsetHeight) : bottom}px`;
  }, [anchor]);
  return (
    <Box
      component="span"
      ref={element}
      id={id}
      popover="manual"
      role="group"
      aria-label="Verdict"
      data-testid="claim-popover"
      sx={popoverStyles}
    >
      <ClaimDetails claim={claim} />
    </Box>
  );
}

const popoverStyles = {
  position: 'fixed',
  inset: 'auto',
  m: 0,
  width: WIDTH_PX,
  maxWidth: 'calc(100vw - 16px)',
  boxSizing: 'border-box',
  p: 1.25,
  zIndex: 'tooltip',
  bgcolor: 'background.paper',
  color: 'text.primary',
  border: 1,
  borderColor: 'divider',
  borderRadius: 1,
  boxShadow: 6,
  fontWeight: 400,
  whiteSpace: 'normal',
  textAlign: 'left',
} as const;
