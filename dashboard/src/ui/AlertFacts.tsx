import { showBidiControls } from '../lib/bidi';
import { alertPlace, severityTone, type AlertIdentity } from '../lib/alert';
import { Badge } from './Badge';
import { Secondary } from './Secondary';

/** Severity, place and type of an alert, as far as its sender stated them. */
export function AlertFacts({ alert }: { readonly alert: AlertIdentity }) {
  const { severity, title, alert_type: type } = alert;
  const place = alertPlace(alert);
  return (
    <>
      {severity !== null && (
        <Badge tone={severityTone(severity)} tooltip="Severity" testId="severity">
          {showBidiControls(severity)}
        </Badge>
      )}{' '}
      {place !== '' && (
        <Secondary component="span" testId="alert-place">
          <bdi>{showBidiControls(place)}</bdi>
        </Secondary>
      )}
      {title !== null && type !== null && (
        <Secondary component="span">
          {place === '' ? ' ' : ' · '}
          <bdi>{showBidiControls(type)}</bdi>
        </Secondary>
      )}
    </>
  );
}
