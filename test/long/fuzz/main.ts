import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { Randomness } from '../../../sandbox/randomness';
import { buildFolder, repository } from '../../../tooling/paths.mjs';

import { diagnosis } from './diagnosis';
import { eventParser } from './eventParser';
import { fuzz } from './fuzzer';
import { headerSchemes, verifier } from './verifier';

const TARGETS = new Map([
	['verifier', verifier],
	['headerSchemes', headerSchemes],
	['diagnosis', diagnosis],
	['eventParser', eventParser],
]);

const [name = '', minutes, seed = ''] = process.argv.slice(2);
const target = TARGETS.get(name);
if (target === undefined) throw new Error(`There is no target ${name}.`);
const workFolder = path.join(buildFolder, 'fuzz', name);
const findings = fuzz(target, new Randomness(seed), {
	codeUnderTest: '/nodes/PayrollPayments/',
	corpusFolder: path.join(repository, 'test', 'long', 'fuzz', 'corpus', name),
	workFolder,
	minutes: Number(minutes),
});
writeFileSync(path.join(workFolder, 'findings.json'), JSON.stringify(findings));
