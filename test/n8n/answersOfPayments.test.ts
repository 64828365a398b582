import { recordsOf, runNode } from '../support/actionHost';
import { useEchoService } from '../support/echoService';
import { FORMS, withAccessToken } from '../support/operationForms';

const service = useEchoService();

/** What a service could put into its answer to rewrite what the node says of a payment. */
const REWRITTEN = {
	...{ outcome: 'not_sent', amount: '1.00', currency: 'EUR', network: 'other', team: 'te-other' },
	...{ recipient_email: 'other@example.com', reference: 'other', error: 'It failed' },
	hint: 'Pay it again',
	...{ attempt_code: '0000-0000-1', already_sent: true, run_message: 'Nothing was paid' },
	$error: { message: 'It failed' },
};

it('a service’s answer never replaces the columns of a payment', async () => {
	service.answer(({ method }) => ({
		body: {
			success: true,
			data:
				method === 'PUT'
					? { transaction: 'tx-AAAAAAAAAAAA', ...REWRITTEN, extra: 'passed on' }
					: { platform_account_address: null, balances: [] },
		},
	}));
	const form = FORMS.createInstantPayment;
	const { output, error } = await runNode(withAccessToken(service.url), form);
	expect(error).toBeUndefined();
	expect(service.requests.filter(({ method }) => method === 'PUT')).toHaveLength(1);
	const [record] = recordsOf(output);
	expect(record).toMatchObject({
		...{ outcome: 'paid', transaction: 'tx-AAAAAAAAAAAA', currency: 'USD', network: 'arbitrum' },
		...{ team: form.teamId, recipient_email: form.recipientEmail, extra: 'passed on' },
	});
	for (const [name, value] of Object.entries(REWRITTEN)) expect(record?.[name]).not.toBe(value);
});
