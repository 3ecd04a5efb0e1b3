import { Box, Link } from '@mui/material';
import { Link as RouterLink } from 'react-router';
import { showBidiControls } from '../../lib/text/bidi';
import { firstLine } from '../../lib/text/format';
import { Callout } from '../../ui/notices/Callout';

/** Text in a result that is addressed to the model. */
export interface InjectedLine {
  /** `call 3`, or `the alert`. */
  readonly source: string;
  readonly text: string;
  /** Where it stands: a step of this page, as `#step-ID`, or another page. */
  readonly to: string;
}

/** What speaks against a call, above the buttons. */
export function InjectionWarning({ injected }: { readonly injected: readonly InjectedLine[] }) {
  return (
    <Callout
      tone="error"
      title="The call may have been asked for by text in a result"
      testId="approval-injected"
    >
      {injected.slice(0, 2).map(({ source, text, to }) => (
        <Box key={to}>
          <Link
            {...(to.startsWith('#') ? { href: to } : { component: RouterLink, to })}
            color="inherit"
          >
            {source}
          </Link>
          {`: “${firstLine(showBidiControls(text), 160)}”`}
        </Box>
      ))}
    </Callout>
  );
}
