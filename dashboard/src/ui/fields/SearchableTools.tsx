import { Box } from '@mui/material';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { Secondary } from '../layout/Secondary';
import { plainList } from '../theme/tokens';

const SearchField = lazy(() => import('./SearchField'));

/** Shorter lists have no search field. */
const MIN_SEARCHABLE = 11;

interface Tool {
  readonly name: string;
  readonly description: string;
}

interface SearchableToolsProps<T extends Tool> {
  /** Id of the tool server. */
  readonly server: string;
  readonly tools: readonly T[];
  /** Renders one tool as a list item. */
  readonly children: (tool: T) => ReactNode;
}

/** The tools of a server as a list, with a search over names and descriptions. */
export function SearchableTools<T extends Tool>(props: SearchableToolsProps<T>) {
  const { server, tools, children } = props;
  const [input, setInput] = useState('');
  const query = input.trim().toLowerCase();
  const matching = tools.filter(({ name, description }) =>
    `${name} ${description}`.toLowerCase().includes(query),
  );
  return (
    <>
      {tools.length >= MIN_SEARCHABLE && (
        <Suspense fallback={<Box sx={{ height: 56 }} />}>
          <SearchField label={`Search tools of ${server}`} value={input} onChange={setInput} />
        </Suspense>
      )}
      {matching.length === 0 && <Secondary role="status">No matching tools.</Secondary>}
      <Box component="ul" aria-label={`Tools of ${server}`} sx={plainList}>
        {matching.map(children)}
      </Box>
    </>
  );
}
