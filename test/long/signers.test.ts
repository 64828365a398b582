import { createServer } from 'node:http';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';

import { Wallet } from 'ethers';
import type { ICredentialDataDecryptedObject, INodeParameters } from 'n8n-workflow';

import { installSigners } from '../../tooling/installations.mjs';
import { buildFolder } from '../../tooling/paths.mjs';
import { runNode } from '../support/actionHost';
import { ActionSandbox } from '../support/actionSandbox';
import { BackgroundProcess } from '../../n8nHost/backgroundProcess';
import { listen } from '../support/httpServer';
import { freePort } from '../../n8nHost/ports';

jest.setTimeout(600_000);

/** How long a person reads what the wallet shows, in milliseconds. */
const TIME_TO_CONFIRM = 120_000;

/** The key of the first account that both have. */
const KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';

const DIALECT_HINT = 'Select the signer’s type under Remote Signer Dialect in the credentials.';
const KEY_HINT = 'must have the unlocked key of Wallet Address';

/** What came of signing: a signature that the service took, or the error that the user saw. */
type Outcome = 'signed' | { readonly message: string; readonly hint: string };

const unsupported = (method: string): Outcome => ({
	message: `The remote signer doesn’t support ${method}`,
	hint: DIALECT_HINT,
});

/**
 * Signing a sign-in message, and then typed data, in each dialect: nodes for development speak the
 * dialect of wallets, and Web3Signer's as far as it is older.
 */
const OUTCOMES: ReadonlyArray<{ dialect: string; message: Outcome; typedData?: Outcome }> = [
	{ dialect: 'wallet', message: 'signed', typedData: 'signed' },
	{ dialect: 'web3signer', message: 'signed', typedData: unsupported('eth_signTypedData') },
	{ dialect: 'clef', message: unsupported('account_signData') },
];

/** `withoutKey`: the error for a wallet whose key the signer doesn't have. */
const SIGNERS = [
	{
		name: 'Hardhat',
		script: 'hardhat/dist/src/cli.js',
		args: (port: string) => ['node', '--hostname', '127.0.0.1', '--port', port],
		withoutKey: 'Unknown account 0x',
	},
	{
		name: 'Anvil',
		script: '@foundry-rs/anvil/bin.mjs',
		args: (port: string) => ['--host', '127.0.0.1', '--port', port],
		withoutKey: 'No Signer available',
	},
];

const sandbox = new ActionSandbox();
let installation: Awaited<ReturnType<typeof installSigners>>;

beforeAll(async () => {
	installation = await installSigners();
	await sandbox.start();
	// The service knows the signers' account as an administrator's.
	Object.assign(sandbox.account(), { privateKey: KEY, address: new Wallet(KEY).address });
});

async function answers(url: string): Promise<boolean> {
	const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_accounts', params: [] });
	const headers = { 'content-type': 'application/json' };
	return (await fetch(url, { method: 'POST', headers, body })).ok;
}

describe.each(SIGNERS)('$name', ({ name, script, args, withoutKey }) => {
	let process: BackgroundProcess;
	let url: string;
	let logins = 0;

	beforeAll(async () => {
		const port = String(await freePort());
		url = `http://127.0.0.1:${port}`;
		const { folder, node, env } = installation;
		process = new BackgroundProcess(
			name,
			node,
			[path.join(folder, 'node_modules', script), ...args(port)],
			{ cwd: folder, env, logFile: path.join(buildFolder, 'signers', `${name}.log`) },
		);
		await process.ready(async () => await answers(url), 120_000);
	});

	/** Each time with another token, because a sign-in that failed isn't repeated at once. */
	const credentials = (change: ICredentialDataDecryptedObject) =>
		sandbox.remoteSigner({
			privateKey: '',
			remoteSignerUrl: url,
			remoteSignerToken: `${name}-${(logins += 1)}`,
			signInChainId: String(sandbox.service.settings.signInChainId),
			...change,
		});

	async function outcomeOf(
		parameters: INodeParameters,
		change: ICredentialDataDecryptedObject,
	): Promise<unknown> {
		const { error, output } = await runNode(credentials(change), parameters);
		if (error === undefined && output.length > 0) return 'signed';
		return { message: error?.message, hint: error?.description };
	}

	const expected = (outcome: Outcome): unknown =>
		outcome === 'signed'
			? outcome
			: {
					message: expect.stringContaining(outcome.message),
					hint: expect.stringContaining(outcome.hint),
				};

	describe.each(OUTCOMES)('in the dialect $dialect', ({ dialect, message, typedData }) => {
		const change = { remoteSignerDialect: dialect };

		it(`${message === 'signed' ? 'signs in' : 'says why it can’t sign in'}`, async () => {
			expect(await outcomeOf(sandbox.balance(), change)).toEqual(expected(message));
		});

		if (typedData === undefined) return;

		it(`${typedData === 'signed' ? 'signs' : 'says why it can’t sign'} typed data`, async () => {
			const invites = sandbox.administratorInvites('one@example.com, two@example.com');
			expect(await outcomeOf(invites, change)).toEqual(expected(typedData));
			expect(await outcomeOf(await sandbox.payment(), change)).toEqual(expected(typedData));
		});
	});

	it('signs behind a person who takes two minutes for each signature', async () => {
		const asked: string[] = [];
		const person = await listen(
			createServer((incoming, response) => {
				void text(incoming).then(async (body) => {
					asked.push(JSON.parse(body).method);
					await pause(TIME_TO_CONFIRM);
					const headers = { 'content-type': 'application/json' };
					const answer = await fetch(url, { method: 'POST', headers, body });
					response.writeHead(answer.status, headers).end(await answer.text());
				});
			}),
		);
		const behindPerson = { remoteSignerUrl: person.url, confirmationSeconds: 300 };
		const change = { remoteSignerDialect: 'wallet', ...behindPerson };
		expect(await outcomeOf(await sandbox.payment(), change)).toBe('signed');
		expect(asked).toEqual(['personal_sign', 'eth_signTypedData_v4']);
	});

	it('says that it doesn’t have the wallet’s key', async () => {
		const { address: walletAddress, platformId } = sandbox.account('viewer');
		const change = { remoteSignerDialect: 'wallet', walletAddress, platformId };
		expect(await outcomeOf(sandbox.balance(), change)).toEqual(
			expected({ message: withoutKey, hint: KEY_HINT }),
		);
	});
});
