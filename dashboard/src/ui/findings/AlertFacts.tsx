import { Link } from '@mui/material';
import { Fragment } from 'react';
import { showBidiControls } from '../../lib/text/bidi';
import {
  placeParts,
  safeLinks,
  severityTone,
  type AlertIdentity,
  type AlertLink,
} from '../../lib/session/alert';
import { Badge } from '../badges/Badge';
import { Secondary } from '../layout/Secondary';
import { aboveRow } from '../theme/tokens';

/** Severity, place and type of an alert, as far as its sender stated them. */
export function AlertFacts({ alert }: { readonly alert: AlertIdentity }) {
  const { severity, title, alert_type: type } = alert;
  const place = placeParts(alert);
  return (
    <>
      {severity !== null && (
        <Badge tone={severityTone(severity)} tooltip="Severity" testId="severity">
          <bdi>{showBidiControls(severity)}</bdi>
        </Badge>
      )}{' '}
      {place.length > 0 && (
        <Secondary component="span" testId="alert-place">
          {/* Each on its own: one from right to left does not reorder the others. */}
          {place.map((part, at) => (
            <Fragment key={part}>
              {at > 0 && ' · '}
              <bdi>{showBidiControls(part)}</bdi>
            </Fragment>
          ))}
        </Secondary>
      )}
      {title !== null && type !== null && (
        // What it is and where it fires come first: on a phone there is no room for more.
        <Secondary component="span" sx={{ display: { xs: 'none', sm: 'inline' } }}>
          {place.length === 0 ? ' ' : ' · '}
          type <bdi>{showBidiControls(type)}</bdi>
        </Secondary>
      )}
    </>
  );
}

/** The pages that the sender of an alert named; above the link of a row. */
export function AlertLinks({ links }: { readonly links: readonly AlertLink[] }) {
  return safeLinks(links).map(({ title, url }, at) => (
    <Link
      key={`${at}:${url}`}
      href={url}
      target="_blank"
      rel="noopener noreferrer"
      data-testid="alert-link"
      sx={{ ...aboveRow, fontSize: '0.8125rem', overflowWrap: 'anywhere' }}
    >
      <bdi>{showBidiControls(title)}</bdi>
    </Link>
  ));
}
