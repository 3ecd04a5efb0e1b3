/** Where the tables of prevention lead. */
import { pages, type Period } from '../../lib/browser/paths';

/** A week such as `2026-W48`. */
export function weekLink(week: string): string {
  return `${pages.prevention}?week=${encodeURIComponent(week)}`;
}

/** Sessions of some time with words. */
export function sessionsWith(words: string, time: Period): string {
  return `${pages.search}?${new URLSearchParams({ q: words, ...time })}`;
}

/** What a source sent. */
export function receivedFrom(source: string): string {
  return `${pages.receivedAlerts}?${new URLSearchParams({ source })}`;
}
