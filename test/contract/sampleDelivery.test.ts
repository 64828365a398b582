import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { EVENT_TYPES } from '../../nodes/PayrollPayments/api/schemas/events';
import { inBash } from '../support/bash';
import { TriggerHost } from '../support/triggerHost';

const run = promisify(execFile);

const repository = join(__dirname, '..', '..');
const tsx = join(repository, 'node_modules', 'tsx', 'dist', 'cli.mjs');
const script = join(repository, 'scripts', 'sampleDelivery.ts');

/** What `npm run --silent sample-delivery -- …` prints. */
async function sampleDelivery(...args: string[]): Promise<string> {
	const { stdout } = await run(process.execPath, [tsx, script, ...args]);
	expect(stdout.split('\n')).toEqual([expect.stringMatching(/^curl /), '']);
	return stdout;
}

/** Curl prints the answer's headers and body. */
async function answerTo(line: string): Promise<{ status: number; body: unknown }> {
	const [head = '', body = ''] = (await inBash(line)).split('\r\n\r\n');
	return { status: Number(head.split(' ')[1]), body: JSON.parse(body) };
}

const AWKWARD = `it's a "secret" with $HOME, \`date\`, \\ and a !`;

describe('the sample delivery', () => {
	it.each([
		['as it is', [], {}, 'sandbox-webhook-secret'],
		['with an awkward secret', [], {}, AWKWARD],
		[
			'in hex after sha256=',
			['--scheme', 'hex', '--prefixed', '--header', 'X-Hub-Signature-256'],
			{ format: 'hex', header: 'X-Hub-Signature-256' },
			AWKWARD,
		],
		['in Base64', ['--scheme', 'base64'], { format: 'base64' }, AWKWARD],
		[
			'as Standard Webhooks',
			['--scheme', 'standardWebhooks'],
			{ format: 'standardWebhooks' },
			'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
		],
		[
			'with a template',
			['--scheme', 'custom', '--signed-content', 'v0:{timestamp}:{body}', '--signature-prefix=v0='],
			{
				format: 'custom',
				signedContent: 'v0:{timestamp}:{body}',
				timestampHeader: 'X-Timestamp',
				signaturePrefix: 'v0=',
			},
			AWKWARD,
		],
		[
			'with a shared token',
			['--scheme', 'sharedToken', '--bearer', '--header', 'Authorization'],
			{ method: 'sharedToken', header: 'Authorization' },
			'a-shared-token',
		],
	])('%s starts the workflow when the line runs in bash', async (name, args, saved, secret) => {
		const credentials = { method: 'hmacSignature', format: 'timestamped', ...saved, secret };
		const host = await TriggerHost.start({ nodeId: `sample ${name}`, credentials });
		const line = await sampleDelivery(
			...['deposit.received', '--url', host.url, '--secret', secret, ...args],
		);
		expect(await answerTo(line)).toEqual({ status: 200, body: { received: true } });
		expect(await answerTo(line)).toMatchObject({ body: { ignored: 'duplicate' } });
		await host.idle();
		expect(host.executions[0]?.output).toMatchObject([
			{ json: { event_type: 'deposit.received', deposit: { status: 'complete' } } },
		]);
		await host.stop();
	});

	it('is refused where the secret is another', async () => {
		const host = await TriggerHost.start({
			nodeId: 'another secret',
			credentials: { method: 'hmacSignature', format: 'timestamped', secret: 'another' },
		});
		const line = await sampleDelivery('invite.accepted', '--url', host.url);
		expect(await answerTo(line)).toMatchObject({ status: 401 });
		await host.stop();
	});

	it('names the event types if it gets none of them, and settings that it does not know', async () => {
		await expect(sampleDelivery('deposit.recieved')).rejects.toThrow(EVENT_TYPES.join('\n'));
		await expect(sampleDelivery('deposit.received', '--scheme', 'rot13')).rejects.toThrow(
			'--scheme: Invalid enum value',
		);
		await expect(sampleDelivery('deposit.received', '--sceme', 'hex')).rejects.toThrow('--sceme');
	});
});
