import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { TimelineItem } from '../../live/reduce';
import { GroundingDetails } from './GroundingDetails';
import { readGrounding } from './grounding';
import { renderItem } from './registry';

function item(event_type: string, metadata: Record<string, unknown>, content = 'x'): TimelineItem {
  return {
    id: 'one',
    session_id: 'session',
    stage_id: null,
    execution_id: null,
    sequence_number: 1,
    event_type,
    status: 'completed',
    content,
    metadata,
    created_at: '2026-01-01T00:00:00Z',
    updated_at: '2026-01-01T00:00:01Z',
    bytes: content.length,
  };
}

const search = {
  sources: [
    { uri: 'https://a.example/', title: 'A' },
    { uri: 'javascript:alert(1)', title: 'B' },
  ],
  supports: [{ text: 'It is 42.', sources: [0, 1], confidence: [0.754] }],
  search_entry_point:
    '<script>x()</script><a href="https://google.com/search?q=a">more</a><a href="javascript:y()">no</a>',
};

it('names the passages that a search supports, with their sources and confidence', () => {
  render(<GroundingDetails item={item('google_search_result', search)} />);
  expect(screen.getByText(/Supports 1 passage/)).toBeTruthy();
  expect(readGrounding(item('google_search_result', search)).supports[0]?.sources).toEqual([
    { number: 1, uri: 'https://a.example/', confidence: 0.754 },
    { number: 2, uri: null, confidence: null },
  ]);
});

it('shows the suggested searches as links and nothing else of their HTML', () => {
  const { container } = render(<GroundingDetails item={item('google_search_result', search)} />);
  const links = [...container.querySelectorAll('a')].map((link) => link.getAttribute('href'));
  expect(links).toContain('https://google.com/search?q=a');
  expect(links.some((href) => href?.startsWith('javascript:'))).toBe(false);
  expect(container.querySelector('script')).toBeNull();
});

it('reads malformed metadata as nothing', () => {
  const malformed = item('google_search_result', { supports: [{ text: 1 }], sources: 'x' });
  expect(readGrounding(malformed)).toEqual({ supports: [], suggestions: [] });
});

it('tells searches, pages and code apart', () => {
  const titles = ['google_search_result', 'url_context_result', 'code_execution'].map((type) => {
    const { container, unmount } = render(renderItem(item(type, {}, '```\n1\n```\n\n1')));
    const text = container.textContent;
    unmount();
    return text;
  });
  expect(titles[0]).toContain('Web search');
  expect(titles[1]).toContain('URL context');
  expect(titles[2]).toContain('Code execution');
});
