import { Search } from '../../features/search/Search';
import { useTitle } from '../../lib/useTitle';
import { PageHeading } from '../../ui/PageHeading';

export function SearchPage() {
  useTitle('Search');
  return (
    <>
      <PageHeading title="Search">
        Alerts, findings, tool calls and chats of all sessions.
      </PageHeading>
      <Search />
    </>
  );
}
