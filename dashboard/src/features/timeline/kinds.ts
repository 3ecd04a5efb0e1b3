/** What every kind of timeline item is given. */
import type { ComponentType } from 'react';
import type { TimelineItem } from '../../live/reduce';

export interface KindProps {
  readonly item: TimelineItem;
  /** The summary of a tool result. */
  readonly summary?: TimelineItem | undefined;
}

export type Kind = ComponentType<KindProps>;
