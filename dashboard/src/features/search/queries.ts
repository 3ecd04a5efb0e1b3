import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query';
import { keys } from '../../api/keys';
import { search, type SearchQuery } from '../../api/search';
import { MIN_TEXT } from './params';

export function searchQuery(query: SearchQuery) {
  const given = { ...query, text: query.text.trim() };
  return infiniteQueryOptions({
    queryKey: keys.search(given),
    queryFn: ({ signal, pageParam }) => search(given, { cursor: pageParam, signal }),
    initialPageParam: '',
    getNextPageParam: (page) => page.next_cursor,
    placeholderData: keepPreviousData,
    enabled: given.text.length >= MIN_TEXT,
  });
}
