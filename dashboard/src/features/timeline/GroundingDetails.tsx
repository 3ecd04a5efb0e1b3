import { Box, Link, Typography } from '@mui/material';
import type { TimelineItem } from '../../live/reduce';
import { plural } from '../../lib/text/format';
import { Disclosure } from '../../ui/layout/Disclosure';
import { readGrounding, type Support, type SupportingSource } from './grounding';

/** Which parts of the answer the sources support, and the searches that the provider suggests. */
export function GroundingDetails({ item }: { readonly item: TimelineItem }) {
  const { supports, suggestions } = readGrounding(item);
  return (
    <>
      {supports.length > 0 && (
        <Disclosure summary={`Supports ${plural(supports.length, 'passage')}`} testId="supports">
          <Box component="ul" sx={{ m: 0, pl: 2.5, fontSize: '0.8125rem' }}>
            {supports.map((support, at) => (
              <SupportedText key={`${at}:${support.text}`} support={support} />
            ))}
          </Box>
        </Disclosure>
      )}
      {suggestions.length > 0 && (
        <Typography component="p" sx={{ fontSize: '0.8125rem', mt: 0.5 }}>
          {'Related searches: '}
          {suggestions.map(({ text, href }, at) => (
            <span key={href}>
              {at > 0 && ', '}
              <Outside href={href}>{text}</Outside>
            </span>
          ))}
        </Typography>
      )}
    </>
  );
}

function SupportedText({ support }: { readonly support: Support }) {
  return (
    <li>
      {support.text}{' '}
      {support.sources.map((source) => (
        <SourceMark key={source.number} source={source} />
      ))}
    </li>
  );
}

function SourceMark({ source }: { readonly source: SupportingSource }) {
  const percent = source.confidence === null ? '' : ` ${Math.round(source.confidence * 100)}%`;
  const mark = `[${source.number}${percent}]`;
  return source.uri === null ? <span>{mark}</span> : <Outside href={source.uri}>{mark}</Outside>;
}

function Outside({ href, children }: { readonly href: string; readonly children: string }) {
  return (
    <Link href={href} target="_blank" rel="noopener noreferrer">
      {children}
    </Link>
  );
}
