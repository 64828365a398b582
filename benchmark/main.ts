/*
 * npm run benchmark                     every part
 * npm run benchmark -- load size        these parts
 * npm run benchmark -- start test       the first contact, and the check suite
 * npm run benchmark -- --small load     a small run to try out the benchmark; saves nothing
 * npm run benchmark -- --runs=9 items   more samples
 *
 * Exits with 1 if a limit is missed or a part fails.
 */
import { parseArgs } from 'node:util';

import manifest from '../package.json';
import { DEFAULT_N8N_VERSION, N8N_VERSIONS } from '../tooling/n8nVersions.mjs';
import { say } from '../tooling/progress.mjs';
import { isReached, type Part } from './comparison';
import { deliveries, lazyEngine } from './deliveries';
import { firstContact } from './firstContact';
import { growth } from './growth';
import { invites } from './invites';
import { items } from './items';
import { keys } from './keys';
import { load } from './load';
import { payments } from './payments';
import { polling } from './polling';
import { queue } from './queue';
import { measured, record, textTable, type Measurement } from './results';
import { signature } from './signature';
import { signIns } from './signIns';
import { size } from './size';
import { suite } from './suite';
import { teamUsers } from './teamUsers';

const PARTS: readonly Part[] = [
	load,
	signature,
	size,
	items,
	teamUsers,
	polling,
	invites,
	payments,
	signIns,
	deliveries,
	lazyEngine,
	queue,
	growth,
	keys,
	firstContact,
	suite,
];

const { 'n8n-workflow': workflow, viem } = manifest.devDependencies;
const versions = `Package ${manifest.version}, n8n ${DEFAULT_N8N_VERSION} on Node.js ${N8N_VERSIONS[DEFAULT_N8N_VERSION].node}, n8n-workflow ${workflow}, viem ${viem}, benchmark on Node.js ${process.versions.node}`;

const {
	values: { small, runs },
	positionals: wanted,
} = parseArgs({
	allowPositionals: true,
	options: {
		small: { type: 'boolean', default: false },
		runs: { type: 'string', default: '5' },
	},
});
const names = PARTS.map(({ name }) => name);
if (!(Number(runs) >= 1)) throw new Error(`--runs must be a number, not ${runs}.`);
const unknown = wanted.find((name) => !names.includes(name));
if (unknown !== undefined)
	throw new Error(`There is no part ${unknown}; there is ${names.join(', ')}.`);

/** @returns the number of missed limits; a failed part counts as one */
async function measureAll(): Promise<number> {
	const fresh: Record<string, Measurement> = {};
	let missed = 0;
	for (const part of PARTS.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
		say(part.title);
		try {
			const measurement = await measured(part, { small, runs: small ? 1 : Number(runs) }, versions);
			fresh[part.name] = measurement;
			missed += measurement.comparisons.filter((each) => !isReached(each)).length;
			console.log(textTable(measurement.comparisons));
			if (!small) record(fresh, names);
		} catch (error) {
			console.error(`${part.name} could not be measured:`, error);
			missed += 1;
		}
	}
	return missed;
}

void measureAll().then((missed) => {
	if (missed > 0) console.log(`${missed} missed.`);
	process.exit(missed === 0 ? 0 : 1);
});
