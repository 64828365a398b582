// A test file whose start fails after it has started a process; test/contract/failingStart.test.ts runs it.
import { writeFileSync } from 'node:fs';

import { BackgroundProcess } from '../../n8nHost/backgroundProcess';

const { FAILING_START: file = '' } = process.env;

beforeAll(() => {
	const started = new BackgroundProcess(
		'A process that never ends',
		process.execPath,
		['--eval', 'setInterval(() => {}, 1_000)'],
		{ logFile: `${file}.log` },
	);
	writeFileSync(file, String(started.group));
	throw new Error('The start failed.');
});

it('never runs', () => {
	throw new Error('It ran.');
});
