/** The checks of the page's texts, for the components that show these texts. */
import { createContext, useContext } from 'react';
import type { ClaimCheck } from '../../lib/session/claims';

export interface Checks {
  readonly ofEvent: (timelineEventId: string) => ClaimCheck | undefined;
  /** That of the session's final analysis, and of its executive summary. */
  readonly analysis: ClaimCheck | undefined;
  readonly summary: ClaimCheck | undefined;
  /** Whether only claims that are not verified are shown. */
  readonly unverifiedOnly: boolean;
  readonly setUnverifiedOnly: (on: boolean) => void;
}

/** Outside a provider no text was checked. */
export const ChecksContext = createContext<Checks>({
  ofEvent: () => undefined,
  analysis: undefined,
  summary: undefined,
  unverifiedOnly: false,
  setUnverifiedOnly: () => undefined,
});

export function useChecks(): Checks {
  return useContext(ChecksContext);
}
