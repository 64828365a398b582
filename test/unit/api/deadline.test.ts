import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { deadlineOf } from '../../../nodes/PayrollPayments/api/n8nHttp';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

it('a deadline ends a request that can be stopped, too, however often garbage is collected', async () => {
	const collecting = setInterval(collectGarbage, 20);
	await new Promise<void>((resolve) => {
		const { signal } = new AbortController();
		deadlineOf({ timeout: 300, signal }).addEventListener('abort', () => resolve());
	});
	clearInterval(collecting);
});
