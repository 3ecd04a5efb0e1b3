import { severityTone } from '../../../lib/session/alert';
import { showBidiControls } from '../../../lib/text/bidi';
import { describeAlertStatus, describeReason } from '../../../lib/session/received';
import { Badge } from '../../../ui/badges/Badge';
import { RelativeTime } from '../../../ui/numbers/times';
import { Secondary } from '../../../ui/layout/Secondary';
import { AlarmIcon } from '../../../ui/theme/icons';
import { Item } from '../Item';
import { readMeta } from '../itemMeta';
import type { KindProps } from '../kinds';

/** An alert of a source that joined the session, or that is over. */
export function AlertReceived({ item }: KindProps) {
  const { source, alertStatus, severity, startsAt, endsAt, reason } = readMeta(item);
  const { label, tone } = describeAlertStatus(alertStatus ?? '');
  const why = describeReason(reason);
  const ended = alertStatus === 'resolved' ? endsAt : null;
  return (
    <Item
      item={item}
      icon={<AlarmIcon />}
      tone={tone}
      title={
        <span dir="auto">
          Alert{label === '' ? '' : ` ${label.toLowerCase()}`}: {showBidiControls(item.content)}
        </span>
      }
      extra={
        severity !== null && (
          <Badge tone={severityTone(severity)} tooltip="Severity">
            {showBidiControls(severity)}
          </Badge>
        )
      }
    >
      <Secondary>
        {source !== null && `From ${showBidiControls(source)}. `}
        {startsAt !== null && (
          <>
            Began <RelativeTime at={startsAt} updateEveryMs={30_000} />
            {ended === null ? '. ' : ', '}
          </>
        )}
        {ended !== null && (
          <>
            {startsAt === null ? 'Ended' : 'ended'}{' '}
            <RelativeTime at={ended} updateEveryMs={30_000} />.{' '}
          </>
        )}
        {why}
      </Secondary>
    </Item>
  );
}
