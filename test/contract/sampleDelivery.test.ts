import { EVENT_TYPES } from '../../nodes/PayrollPayments/contract/events';
import { repository } from '../../tooling/paths.mjs';
import { run } from '../../tooling/processes.mjs';
import { inBash } from '../support/bash';
import { useTriggerHosts } from '../support/triggerHost';

const SCRIPT = ['node_modules/tsx/dist/cli.mjs', 'scripts/sampleDelivery.ts'];

const printedFor = (...args: string[]) =>
	run(process.execPath, [...SCRIPT, ...args], { cwd: repository });

/** What `npm run --silent sample-delivery -- …` prints. */
async function sampleDelivery(...args: string[]): Promise<string> {
	const printed = await printedFor(...args);
	expect(printed.split('\n')).toEqual([expect.stringMatching(/^curl /), '']);
	return printed;
}

/** Curl prints the answer's headers and body. */
async function answerTo(line: string): Promise<{ status: number; body: unknown }> {
	const [head = '', body = ''] = (await inBash(line)).split('\r\n\r\n');
	return { status: Number(head.split(' ')[1]), body: JSON.parse(body) };
}

const AWKWARD = `it's a "secret" with $HOME, \`date\`, \\ and a !`;
const IN_BASE64 = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const HUB = 'X-Hub-Signature-256';
const SIGNED = 'v0:{timestamp}:{body}';
const PREFIXED = { signedContent: SIGNED, signaturePrefix: 'v0=' };
const TEMPLATE = { format: 'custom', timestampHeader: 'X-Timestamp', ...PREFIXED };
const TOKEN = { method: 'sharedToken', header: 'Authorization' };

const start = useTriggerHosts();

it.each([
	['', {}, AWKWARD],
	[`--scheme hex --prefixed --header ${HUB}`, { format: 'hex', header: HUB }, AWKWARD],
	['--scheme base64', { format: 'base64' }, AWKWARD],
	['--scheme standardWebhooks', { format: 'standardWebhooks' }, IN_BASE64],
	[`--scheme custom --signed-content ${SIGNED} --signature-prefix=v0=`, TEMPLATE, AWKWARD],
	['--scheme sharedToken --bearer --header Authorization', TOKEN, 'a-shared-token'],
])(
	'the sample delivery with %j starts the workflow when the line runs in bash',
	async (args, saved, secret) => {
		const credentials = { method: 'hmacSignature', format: 'timestamped', ...saved, secret };
		const host = await start({ nodeId: `sample ${args} ${secret}`, credentials });
		const line = await sampleDelivery(
			...['deposit.received', '--url', host.url, '--secret', secret],
			...args.split(' ').filter(Boolean),
		);
		expect(await answerTo(line)).toEqual({ status: 200, body: { received: true } });
		expect(await answerTo(line)).toMatchObject({ body: { ignored: 'duplicate' } });
		await host.idle();
		expect(host.executions[0]?.output).toMatchObject([
			{ json: { event_type: 'deposit.received', deposit: { status: 'complete' } } },
		]);
	},
);

it('the sample delivery lists its options with their choices, the event types, and settings that it does not know', async () => {
	const help = await printedFor('--help');
	expect(help).toContain('EVENT_TYPE [--url URL]');
	expect(help).toContain('--scheme timestamped | hex | base64');
	expect(help).toMatch(/^ {2}--prefixed$/m);
	await expect(sampleDelivery('deposit.recieved')).rejects.toThrow(EVENT_TYPES.join('\n'));
	await expect(sampleDelivery('deposit.received', '--scheme', 'rot13')).rejects.toThrow(
		'--scheme: Invalid enum value',
	);
	await expect(sampleDelivery('deposit.received', '--sceme', 'hex')).rejects.toThrow('--sceme');
});
