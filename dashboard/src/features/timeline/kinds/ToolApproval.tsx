import { showExactly } from '../../../lib/text/visible';
import { ToolIcon } from '../../../ui/theme/icons';
import { Item } from '../Item';
import { readMeta, toolTitle } from '../itemMeta';
import type { KindProps } from '../kinds';
import { Notice } from '../Notice';

/** A tool call that waits, or waited, for a person's decision, which is made at the top of the page. */
export function ToolApproval({ item }: KindProps) {
  const meta = readMeta(item);
  const waiting = item.status === 'streaming';
  return (
    <Item
      item={item}
      icon={<ToolIcon />}
      tone={waiting ? 'warning' : 'neutral'}
      title={`${waiting ? 'Approval needed' : 'Approval'}: ${showExactly(toolTitle(meta))}`}
    >
      {waiting ? (
        <Notice tone="warning">Waiting for approval, at the top of the page.</Notice>
      ) : (
        <Notice tone={meta.decision === 'approved' ? 'success' : 'neutral'}>
          {item.content || 'The investigation ended before anybody decided.'}
        </Notice>
      )}
    </Item>
  );
}
