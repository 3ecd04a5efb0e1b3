import { Box } from '@mui/material';
import { memo, useMemo } from 'react';
import ReactMarkdown from 'react-markdown';
import rehypeSanitize from 'rehype-sanitize';
import remarkGfm from 'remark-gfm';
import { showBidiControls } from '../../lib/text/bidi';
import { isVerified, type Claim } from '../../lib/session/claims';
import { useChecks } from '../claims/checks';
import { ClaimsContext } from '../claims/ClaimMark';
import { components, schema, styles } from './markdownParts';
import { remarkCitations } from './remarkCitations';
import { remarkClaims, type PlacedClaim } from './remarkClaims';
import { remarkHeadings } from './remarkHeadings';

/** A supported citation needs no mark: it already is a link. */
function isMarked(claim: Claim, unverifiedOnly: boolean): boolean {
  return !isVerified(claim) || (!unverifiedOnly && claim.kind !== 'citation');
}

/** Claims as places in the text that is shown, in which characters that reorder text are longer. */
function place(
  text: string,
  claims: readonly Claim[],
  unverifiedOnly: boolean,
): readonly PlacedClaim[] {
  const plain = showBidiControls(text) === text;
  const shown = (offset: number) =>
    plain ? offset : showBidiControls(text.slice(0, offset)).length;
  return claims.flatMap((claim, index) =>
    isMarked(claim, unverifiedOnly)
      ? [{ ...claim, index, start: shown(claim.start), end: shown(claim.end) }]
      : [],
  );
}

const noClaims: readonly Claim[] = [];

interface MarkdownBodyProps {
  readonly text: string;
  readonly claims?: readonly Claim[] | undefined;
}

function MarkdownBody({ text, claims = noClaims }: MarkdownBodyProps) {
  const { unverifiedOnly } = useChecks();
  const plugins = useMemo(
    () => [
      remarkGfm,
      () => remarkClaims(place(text, claims, unverifiedOnly)),
      remarkHeadings,
      remarkCitations,
    ],
    [text, claims, unverifiedOnly],
  );
  return (
    <ClaimsContext value={claims}>
      <Box dir="auto" sx={styles}>
        <ReactMarkdown
          remarkPlugins={plugins}
          rehypePlugins={[[rehypeSanitize, schema]]}
          components={components}
        >
          {showBidiControls(text)}
        </ReactMarkdown>
      </Box>
    </ClaimsContext>
  );
}

/** Memoized because parsing is expensive. */
export default memo(MarkdownBody);
