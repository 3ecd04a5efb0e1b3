/** What is copied to show somebody else a session. */
import { alertTitle, type AlertIdentity } from './alert';
import { plain, section } from '../text/markdown';
import { addressOf, pages } from '../browser/paths';

interface Shared extends Pick<AlertIdentity, 'title' | 'alert_type'> {
  readonly id: string;
}

/** The address of a page for other people, such as `https://tarsy.example.com/sessions/ID`. */
export function urlOf(page: string): string {
  return `${window.location.origin}${addressOf(page)}`;
}

/** A finding as Markdown, with the title of its alert and the address where it stands. */
export function sharedFinding(session: Shared, text: string, anchor = ''): string {
  const url = urlOf(pages.session(session.id));
  const address = anchor === '' ? url : `${url}#${anchor}`;
  return section(plain(alertTitle(session)), `${address}\n\n${text}`);
}
