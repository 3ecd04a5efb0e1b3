import { Link } from '@mui/material';
import { useContext } from 'react';
import { ANALYSIS_ID } from '../../../lib/browser/paths';
import { scrollToAnchor } from '../../../ui/layout/scroll';
import { CheckedMarkdown } from '../../../ui/markdown/CheckedMarkdown';
import { useChecks } from '../../../ui/claims/checks';
import { StreamingMarkdown } from '../../../ui/markdown/StreamingMarkdown';
import { ChatIcon } from '../../../ui/theme/icons';
import { Item } from '../Item';
import type { KindProps } from '../kinds';
import { ConclusionContext } from '../repetition';

export function Response({ item }: KindProps) {
  const streaming = item.status === 'streaming';
  const check = useChecks().ofEvent(item.id);
  const concluding = useContext(ConclusionContext) === item.id;
  return (
    <Item
      item={item}
      icon={<ChatIcon />}
      tone="info"
      title={streaming ? 'Responding…' : 'Response'}
    >
      {streaming && <StreamingMarkdown text={item.content} testId="streaming-text" />}
      {!streaming &&
        (concluding ? <LinkToAnalysis /> : <CheckedMarkdown text={item.content} check={check} />)}
    </Item>
  );
}

/** In place of the text, which the page shows above the timeline. */
function LinkToAnalysis() {
  return (
    <Link
      href={`#${ANALYSIS_ID}`}
      onClick={(event) => {
        if (scrollToAnchor(ANALYSIS_ID)) event.preventDefault();
      }}
      data-testid="link-to-analysis"
      sx={{ fontSize: '0.8125rem' }}
    >
      Final analysis, shown above
    </Link>
  );
}
