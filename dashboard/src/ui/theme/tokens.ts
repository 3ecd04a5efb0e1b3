/** Styles made from the variables in `tokens.css`. */

/** A scrollable block of monospace text. */
export function monospaceBlock(wrap: boolean) {
  return {
    p: 1.25,
    overflow: 'auto',
    whiteSpace: wrap ? 'pre-wrap' : 'pre',
    overflowWrap: wrap ? 'anywhere' : undefined,
    bgcolor: 'var(--tarsy-code-bg)',
    border: 1,
    borderColor: 'divider',
    borderRadius: 1,
    fontFamily: 'var(--tarsy-mono)',
    fontSize: '0.78rem',
    lineHeight: 1.55,
  } as const;
}

/** A quotation of a result, word for word. */
export const quotation = {
  m: 0,
  px: 1.25,
  py: 0.5,
  borderInlineStart: '3px solid',
  borderColor: 'divider',
  bgcolor: 'var(--tarsy-code-bg)',
  fontFamily: 'var(--tarsy-mono)',
  fontSize: '0.78rem',
  whiteSpace: 'pre-wrap',
  overflowWrap: 'anywhere',
} as const;

/** Scroll target offset below the sticky app bar. */
export function belowAppBar(gapPx: number): string {
  return `calc(var(--tarsy-app-bar-height) + ${gapPx}px)`;
}

/** Text that may break anywhere, with its own line breaks kept. */
export const preWrap = { whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' } as const;

/** Resets the browser's style of `ol` and `ul`. */
export const plainList = { listStyle: 'none', m: 0, p: 0 } as const;

/** A table as wide as its panel, whose text begins where that of the panel begins. */
export const wideTable = { mx: -2, width: 'auto' } as const;

/** Behind streaming text, as a pseudo-element. It takes no space: alone on a line of its own it would move what is below. */
export const caret = {
  content: '""',
  display: 'inline-block',
  width: '0.5em',
  height: '1em',
  marginInlineStart: '2px',
  marginInlineEnd: 'calc(-0.5em - 2px)',
  verticalAlign: '-0.12em',
  bgcolor: 'primary.main',
  animation: 'tarsy-blink 1s steps(2) infinite',
} as const;

/** Read by screen readers alone. */
export const visuallyHidden = {
  position: 'absolute',
  // A number up to 1 is a share of the parent.
  width: '1px',
  height: '1px',
  overflow: 'hidden',
  clipPath: 'inset(50%)',
  whiteSpace: 'nowrap',
} as const;

/** Text on one line that ends in an ellipsis. */
export const ellipsis = {
  overflow: 'hidden',
  textOverflow: 'ellipsis',
  whiteSpace: 'nowrap',
} as const;

/** Makes a link cover its positioned ancestor, so that a whole row is clickable. */
export const coversRow = {
  '&::after': { content: '""', position: 'absolute', inset: 0 },
} as const;

/** Keeps a control of such a row above its link. */
export const aboveRow = { position: 'relative', zIndex: 1 } as const;
