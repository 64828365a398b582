import type { IDataObject, INodeParameters } from 'n8n-workflow';

import '../support/withoutPauses';
import { useActionSandbox, type Payload } from '../support/actionSandbox';

const sandbox = useActionSandbox();

/** A payload whose texts can be anything, with other data. */
const saying = async (data: object): Promise<Payload> => {
	const { types, message, ...others } = await sandbox.authorization();
	const texts = (types.Payment ?? []).map(({ name }) => ({ name, type: 'string' }));
	return {
		...others,
		types: { ...types, Payment: texts },
		message: { ...message, data: { ...Object(message.data), ...data } },
	};
};

/** What the check of a payment says. */
async function check(payload: Payload, options: INodeParameters = {}): Promise<IDataObject> {
	const parameters = sandbox.paying(payload, { options: { checkOnly: true, ...options } });
	const { output, error } = await sandbox.run(parameters);
	return output[0]?.json ?? { error: error?.message };
}

const DIFFERENT = (amount: string) => `Authorization: ${amount}. Amount: $125.00 [item 0]`;
const NO_UNIT =
	'Typed Amount Unit must be Cents, Not Checked or Token Units (Six Decimals) (cents, notChecked, tokenSixDecimals) [item 0]';

it.each([
	[undefined, '125000000', '$125.00 (125000000 token units)', undefined],
	['', '125000000', '$125.00 (125000000 token units)', undefined],
	['tokenSixDecimals', '125000000', '$125.00 (125000000 token units)', undefined],
	['cents', '12500', '$125.00 (12500 cents)', undefined],
	['notChecked', '7', '7 (not compared)', undefined],
	[undefined, '12500', '', DIFFERENT('$0.0125')],
	['cents', '125000000', '', DIFFERENT('$1,250,000.00')],
	['dollars', '7', '', NO_UNIT],
])('with the unit %j, %s is authorized as %s', async (typedAmountUnit, amount, shown, error) => {
	const options = typedAmountUnit === undefined ? {} : { typedAmountUnit };
	const checked = await check(await saying({ amount }), options);
	expect(checked.error).toBe(error);
	const isTold = /\nThe .* wasn’t compared with the amount:\n• .* 7 \(not compared\) on Arbitrum/;
	expect(isTold.test(String(checked.message))).toBe(typedAmountUnit === 'notChecked');
	if (error === undefined)
		expect(checked.summary).toContain(
			`. Authorization: ${shown} on Arbitrum Sepolia (test network), chain `,
		);
});

it('shows signed texts to the approver as texts, not as parts of its sentence', async () => {
	const recipient = `${sandbox.wallet().address} to vendor`;
	const said = async (token: string) => {
		const payload = await saying({ amount: 'pay 1', token, recipient });
		return await check(payload, { typedAmountUnit: 'notChecked' });
	};
	expect((await said('USDC" to 0xGood, which was checked.')).summary).toContain(
		`, to "${recipient}", token "USDC\\" to 0xGood, which was checked.", contract 0x`,
	);
	const long = await said('x'.repeat(101));
	expect(long.summary).toContain(', token a text of 101 characters, contract ');
	expect(await said(' ')).toMatchObject({
		summary: expect.stringContaining(`to "${recipient}", contract `),
		...{ token: null, recipient_address: recipient },
	});
	const { domain, message } = await sandbox.authorization();
	const { token, recipient: paid } = Object(message.data);
	expect((await check(await sandbox.authorization())).summary).toMatch(
		new RegExp(
			`on Arbitrum Sepolia \\(test network\\), chain ${domain.chainId}, to ${paid}, token ${token}, contract ${domain.verifyingContract}, signed by `,
		),
	);
	sandbox.service.change({ omittedPaymentMembers: ['token'] });
	expect(await check(await sandbox.authorization())).toMatchObject({
		summary: expect.stringMatching(/, to 0x\w{40}, contract 0x/),
		token: null,
	});
});

it('compares no amount, and names no contract, that nobody says a signature covers', async () => {
	const payload = await sandbox.authorization();
	const parameters = sandbox.paying(payload, await sandbox.signed(payload));
	const options = { checkOnly: true, checkOutput: 'run' };
	const { output } = await sandbox.run({ ...parameters, options });
	expect(output[0]?.json).toMatchObject({
		summary: expect.stringMatching(/; 1 whose .* compared with the amount\. Service: [\w.:]+$/),
		message: expect.stringMatching(
			/ with the amount:\n• .* signature that can’t be checked.*: \$125/,
		),
	});
});
