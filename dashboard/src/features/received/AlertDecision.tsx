import { Box, Link } from '@mui/material';
import type { ReceivedAlert } from '../../api/receivedAlerts';
import { alertPlace, severityTone } from '../../lib/session/alert';
import { showBidiControls } from '../../lib/text/bidi';
import { plural } from '../../lib/text/format';
import { describeAlertStatus, describeContent, describeDecision } from '../../lib/session/received';
import { Badge } from '../../ui/badges/Badge';
import { CodeBlock } from '../../ui/text/CodeBlock';
import { Disclosure } from '../../ui/layout/Disclosure';
import { Secondary } from '../../ui/layout/Secondary';
import { RelativeTime } from '../../ui/numbers/times';

interface AlertProps {
  readonly alert: ReceivedAlert;
}

/** The status of an alert, its severity, and where it fires. */
export function AlertState({ alert }: AlertProps) {
  const { label, tone } = describeAlertStatus(alert.status);
  const place = alertPlace(alert);
  const content = describeContent(alert.content);
  return (
    <>
      {content && (
        <>
          <Badge tone={content.tone} tooltip={`${content.meaning}.`} testId="alert-content">
            {content.label}
          </Badge>{' '}
        </>
      )}
      <Badge tone={tone} testId="alert-status">
        {showBidiControls(label)}
      </Badge>{' '}
      {alert.severity !== null && (
        <>
          <Badge tone={severityTone(alert.severity)} tooltip="Severity">
            {showBidiControls(alert.severity)}
          </Badge>{' '}
        </>
      )}
      {place !== '' && (
        <Secondary component="span" size="small">
          <bdi>{showBidiControls(place)}</bdi>
        </Secondary>
      )}
    </>
  );
}

/** Since when an alert fires, and how often its source sent it. */
export function AlertTimes({ alert }: AlertProps) {
  const { starts_at: since, ends_at: until, repeats } = alert;
  return (
    <Secondary component="span" size="small">
      {since !== null && (
        <>
          {' · began '}
          <RelativeTime at={since} updateEveryMs={30_000} />
        </>
      )}
      {alert.status === 'resolved' && until !== null && (
        <>
          , ended <RelativeTime at={until} updateEveryMs={30_000} />
        </>
      )}
      {repeats > 0 && ` · sent ${plural(repeats, 'more time')}, last `}
      {repeats > 0 && <RelativeTime at={alert.last_received_at} updateEveryMs={30_000} />}
    </Secondary>
  );
}

/** What was decided about an alert, and why. */
export function AlertDecision({ alert }: AlertProps) {
  const { action, explanation, rule, released_at: releasedAt } = alert;
  const { label, meaning } = describeDecision(action);
  return (
    <div data-testid="alert-decision">
      <Badge tone="neutral" tooltip={meaning === '' ? undefined : `${meaning}.`}>
        {label}
      </Badge>{' '}
      <Secondary component="span">
        {explanation}
        {rule !== null && ` · rule ${rule}`}
        {releasedAt !== null && (
          <>
            {' · decided again '}
            <RelativeTime at={releasedAt} updateEveryMs={30_000} />
          </>
        )}
      </Secondary>
    </div>
  );
}

/** What was changed to keep an alert, the pages that its source names, and the labels and annotations that it sent. */
export function AlertDetails({ alert }: AlertProps) {
  const links = alert.links.filter(({ url }) => /^https?:\/\//i.test(url));
  const sent = [
    ['Labels', alert.labels],
    ['Annotations', alert.annotations],
  ] as const;
  const shown = sent.filter(([, texts]) => Object.keys(texts).length > 0);
  return (
    <>
      {alert.notes.length > 0 && (
        <Box
          component="ul"
          aria-label="What was changed to keep this alert"
          data-testid="alert-notes"
          sx={{ my: 0.5, pl: 2.5, fontSize: '0.8125rem', overflowWrap: 'anywhere' }}
        >
          {alert.notes.map((note, at) => (
            <li key={at}>{showBidiControls(note)}</li>
          ))}
        </Box>
      )}
      <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'baseline', columnGap: 1.5 }}>
        {links.map(({ title, url }, at) => (
          <Link
            key={`${at}:${url}`}
            href={url}
            target="_blank"
            rel="noopener noreferrer"
            sx={{ fontSize: '0.8125rem', overflowWrap: 'anywhere' }}
          >
            {showBidiControls(title)}
          </Link>
        ))}
        {shown.length > 0 && (
          <Box sx={{ flex: '1 1 200px', minWidth: 0 }}>
            <Disclosure
              summary={
                <Secondary component="span" size="small">
                  {shown.map(([name], at) => (at === 0 ? name : name.toLowerCase())).join(' and ')}
                </Secondary>
              }
            >
              {shown.map(([name, texts]) => (
                <CodeBlock key={name} label={name} text={asLines(texts)} lines={12} wrap />
              ))}
            </Disclosure>
          </Box>
        )}
      </Box>
    </>
  );
}

function asLines(texts: Readonly<Record<string, string>>): string {
  return Object.entries(texts)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
}
