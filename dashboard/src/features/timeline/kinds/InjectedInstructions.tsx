import { Box } from '@mui/material';
import { showBidiControls } from '../../../lib/text/bidi';
import { Secondary } from '../../../ui/layout/Secondary';
import { ShieldIcon } from '../../../ui/theme/icons';
import { plainList, quotation } from '../../../ui/theme/tokens';
import { findingsOf, sourceOf, type InjectedText } from '../injected';
import { Item } from '../Item';
import { Notice } from '../Notice';
import type { KindProps } from '../kinds';

/** Text in a result or in the alert that is addressed to a model, and what follows from it. */
export function InjectedInstructions({ item }: KindProps) {
  const findings = findingsOf(item);
  return (
    <Item
      item={item}
      icon={<ShieldIcon />}
      tone="warning"
      title={`Injected instructions in ${sourceOf(item)}`}
    >
      <Notice tone="warning">
        {item.content ||
          'From here on, calls of tools that are not read-only need the approval of a person.'}
      </Notice>
      {findings.length > 0 && (
        <Box component="ul" aria-label="Injected instructions" sx={plainList}>
          {findings.map((finding, at) => (
            <Finding key={`${at}:${finding.line}`} finding={finding} />
          ))}
        </Box>
      )}
      <Secondary sx={{ mt: 0.75 }}>
        The text still reaches the model, marked as data. A denied call is not made, and the
        investigation goes on without it.
      </Secondary>
    </Item>
  );
}

const wants: Readonly<Record<string, string>> = {
  override: 'drops or replaces instructions',
  role: 'pretends to be a message of the system or of another role',
  address: 'speaks to the model',
  tool_request: 'asks for a tool call',
  concealment: 'asks to hide something',
  disclosure: 'asks to send data somewhere',
  conclusion: 'asks for a conclusion',
};

function Finding({ finding }: { readonly finding: InjectedText }) {
  const { line, kind, excerpt } = finding;
  return (
    <Box component="li" data-testid="injected-text" sx={{ mt: 0.75 }}>
      <Secondary component="span">
        Line {line}, {wants[kind] ?? kind.replaceAll('_', ' ')}:
      </Secondary>{' '}
      <Box component="blockquote" dir="auto" sx={quotation}>
        {showBidiControls(excerpt)}
      </Box>
    </Box>
  );
}
