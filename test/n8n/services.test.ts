import '../support/withoutPauses';
import { CATALOGUE } from '../../nodes/PayrollPayments/operations/catalogue';
import { letterOfTheDocument } from '../../sandbox/server';
import type { SettingsInput } from '../../sandbox/settings';
import { runNode, testSaved } from '../support/actionHost';
import { expectValidRequests, useActionSandbox } from '../support/actionSandbox';
import { PollHost } from '../support/pollHost';
import { formFor } from '../support/sandboxForms';

/* The same round at a service that follows the document to the letter, and at others of its family. */

/** Everything that a service may do differently, as far as one can do it all at once. */
const unusual: SettingsInput = {
	fieldNames: {
		platformid: 'accountid',
		platform_account_address: 'account_address',
		platform_account: 'account_address_of_user',
		amount_cents: 'cents',
		email: 'mail',
	},
	signInDomain: 'login.example.org',
	signInChainId: 11155111,
	chainId: 42161,
	chainIdForm: 'text',
	typedDataFrom: 'platformId',
	roleForm: 'hash',
	omittedPaymentMembers: ['id', 'groupID', 'payAtTime', 'validMinutes', 'payType', 'data'],
	recordFields: 'nulls',
	extraMembers: { outcome: 'refused', amount: 1 },
};

describe.each<[string, SettingsInput]>([
	['to the letter', letterOfTheDocument],
	['as services are', {}],
	['with the team’s account as sender', { typedDataFrom: 'teamAccount' }],
	['with everything different', unusual],
])('a service %s', (_name, settings) => {
	const sandbox = useActionSandbox(settings);
	expectValidRequests(sandbox);

	it('signs the wallet in at its domain and chain', async () => {
		const { signInDomain } = sandbox;
		const signInChainId = String(sandbox.service.settings.signInChainId);
		const result = await testSaved(sandbox.credentials({ signInDomain, signInChainId }));
		expect(result).toMatchObject({ status: 'OK' });
	});

	it.each(
		CATALOGUE.map(
			({ resource, operation, effect }) => [`${resource}.${operation}`, effect] as const,
		),
	)('does what it is asked to: %s', async (name, effect) => {
		const parameters = await formFor(sandbox, name);
		if (effect === 'write') {
			const options = { ...Object(parameters.options), checkOnly: true };
			const { output } = await sandbox.run({ ...parameters, options });
			expect(output[0]?.json).toMatchObject({ check: 'passed' });
		}
		/* A read needs no permission. */
		const limits = { access: 'readOnly', maximumPayment: '1', paymentRecipients: '@example.com' };
		const saved = sandbox.credentials(effect === 'read' ? limits : {});
		const { error, output } = await runNode(saved, parameters);
		expect(error).toBeUndefined();
		expect(output.length).toBeGreaterThan(0);
	});

	it.each(['balanceChanged', 'teamUserAdded', 'teamUserChanged', 'inviteAdded', 'inviteEnded'])(
		'is watched by the polling trigger: %s',
		async (event) => {
			const form = { event, entityId: sandbox.team, teamId: sandbox.team };
			const { items, error } = await new PollHost(sandbox.credentials(), form).fetchTestEvent();
			expect(error).toBeUndefined();
			expect(items).toHaveLength(1);
		},
	);
});
