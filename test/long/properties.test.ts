import { markdownTable } from '../../tooling/markdown';
import { writeSection } from './reliabilityReport';
import { jestOutcomes } from './jestOutcomes';

/** How many times more cases than in the unit tests each property gets. */
const FACTOR = Number(process.env.LONG_FACTOR ?? 40);

jest.setTimeout(900_000);

/** The properties checked against an independent judge, and the unit tests' number of cases. */
const PROPERTIES = [
	['is read as siwe writes and reads it', 'sign-in messages written by `siwe`', 100],
	['is not signed where siwe reads it', 'changed sign-in messages, against `siwe`', 3_000],
	['is signed only where ethers signs the very same bytes', 'typed data, against `ethers`', 200],
	['signs any text as ethers does', 'texts, against `ethers`', 20],
	['any body is an event as it was sent', 'bodies of deliveries, against `JSON.parse`', 500],
	[
		'no pieces of headers prove a delivery',
		'headers that the sender didn’t sign for a delivery',
		1_300,
	],
] as const;

it('the wallet and the trigger agree with independent judges over many more cases', async () => {
	const names = PROPERTIES.map(([name]) => name).join('|');
	const outcomes = await jestOutcomes(['exec', '--', 'jest'], 'properties', {
		args: [
			...['--selectProjects', 'unit', 'properties', '--testPathPatterns', 'unit/(signing|trigger)'],
			...['--testTimeout=600000', '-t', names],
		],
		env: { PROPERTY_FACTOR: String(FACTOR) },
		minutes: 14,
	});
	const rows = PROPERTIES.map(([name, what, quick]) => {
		const { status = 'not found', seconds = 0 } =
			outcomes.find(({ title }) => title.includes(name)) ?? {};
		return [what, quick * FACTOR, status, seconds];
	});
	const tried = PROPERTIES.reduce((sum, [, , quick]) => sum + quick * FACTOR, 0);
	writeSection('properties', {
		versions: `Node ${process.versions.node}`,
		result: `${rows.filter(([, , status]) => status === 'passed').length} of ${rows.length} properties hold over ${tried} cases`,
		figures: [
			`The unit tests' properties, ${FACTOR} times the cases (LONG_FACTOR): the wallet must sign what ` +
				'the other library signs, and read what it reads.',
			markdownTable(['', 'tried', 'outcome', 'seconds'], rows),
		],
	});
	expect(rows.map(([, , status]) => status)).toEqual(PROPERTIES.map(() => 'passed'));
});
