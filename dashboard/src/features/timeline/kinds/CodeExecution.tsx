import { Typography } from '@mui/material';
import { parseCodeExecution } from '../../../lib/session/execution';
import { CodeBlock } from '../../../ui/text/CodeBlock';
import { CodeIcon } from '../../../ui/theme/icons';
import { Item } from '../Item';
import type { KindProps } from '../kinds';

/** Code that the model ran in its provider's sandbox, with the output. */
export function CodeExecution({ item }: KindProps) {
  const { code, language, output } = parseCodeExecution(item.content);
  return (
    <Item item={item} icon={<CodeIcon />} title="Code execution">
      <CodeBlock text={code} label={language === '' ? 'Code' : `Code, ${language}`} lines={20} />
      {output !== '' && (
        <>
          <Typography
            component="p"
            sx={{ fontSize: '0.75rem', fontWeight: 600, color: 'text.secondary', my: 0.5 }}
          >
            Output
          </Typography>
          <CodeBlock text={output} label="Output of the code" lines={10} testId="code-output" />
        </>
      )}
    </Item>
  );
}
