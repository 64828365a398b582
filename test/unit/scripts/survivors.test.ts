import { readFileSync } from 'node:fs';
import path from 'node:path';

import { repository } from '../../../tooling/paths.mjs';
import { SURVIVORS } from '../../mutation/survivors';

it.each(SURVIVORS)('$file has the line of an explained survivor: $line', ({ file, line }) => {
	const text = readFileSync(path.join(repository, 'nodes', 'PayrollPayments', file), 'utf8');
	expect(text.split('\n').map((each) => each.trim())).toContain(line);
});
