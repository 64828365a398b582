import { action } from '../n8nHost/workflows';
import { median, mustBeSame, type Comparison, type Part } from './comparison';
import { requestsSince, Runner, startBenchmarkEnvironment } from './host';

const CENTS = 12_500;
const EMAIL = 'supplier@example.com';

/** One payment after the other, each recorded before it is sent. */
export const payments: Part = {
	name: 'payments',
	title: 'Payments in one run',
	async measure({ small, runs }): Promise<Comparison[]> {
		const environment = await startBenchmarkEnvironment();
		const { sandbox, teamId, account } = environment;
		try {
			await sandbox.control('POST', 'balances', {
				nanoid: teamId,
				currency: 'USD',
				balance_cents: '10000000000',
			});
			const query = new URLSearchParams({
				from: teamId,
				amount_cents: String(CENTS),
				email: EMAIL,
				signer: account.address,
			});
			const form = {
				resource: 'payment',
				operation: 'create',
				teamId,
				amountUnit: 'cents',
				amountCents: CENTS,
				recipientEmail: EMAIL,
				currency: 'USD',
				network: 'arbitrum',
				typedData: '={{ JSON.stringify($json) }}',
				signatureSource: 'wallet',
			};
			const pay = await Runner.timing(environment, 'Ours', [action('Pay', form)]);
			const options = { checkOnly: true, checkOutput: 'run' };
			const check = await Runner.timing(environment, 'Check', [
				action('Check the run', { ...form, options }),
			]);
			const sheet = async (size: number) => {
				const items: unknown[] = [];
				for (let index = 0; index < size; index++) {
					items.push(await sandbox.control('GET', `payment-typed-data?${query.toString()}`));
				}
				return items;
			};
			const rows = await sheet(small ? 50 : 500);
			const checkOnce = async () => {
				await requestsSince(environment);
				const { milliseconds } = await check.run({ items: rows });
				const { createInstantPayment: sent = 0 } = await requestsSince(environment);
				mustBeSame('Payments', sent, 0);
				return milliseconds / 1_000;
			};
			await checkOnce();
			const checked: number[] = [];
			for (let run = 0; run < Math.min(runs, 3); run++) checked.push(await checkOnce());
			const count = small ? 10 : 100;
			const payOnce = async (size: number) => {
				const items = await sheet(size);
				await requestsSince(environment);
				const { milliseconds } = await pay.run({ items });
				const { createInstantPayment: sent } = await requestsSince(environment);
				mustBeSame('Payments', sent, size);
				return milliseconds / size;
			};
			await payOnce(1);
			const each: number[] = [];
			for (let run = 0; run < Math.min(runs, 3); run++) each.push(await payOnce(count));
			return [
				{
					what: `${rows.length} rows checked as one run`,
					peer: 'the goal: a few seconds',
					unit: 's',
					ours: checked,
					peers: [5],
					reading: 'share',
					limit: 1,
				},
				{
					what: `each of ${count} payments in one run`,
					peer: 'the goal: one wait for other processes, and the request',
					unit: 'ms',
					ours: each,
					peers: [300],
					reading: 'share',
					limit: 1,
					notes: [`All of them took ${((median(each) * count) / 1_000).toFixed(1)} s.`],
				},
			];
		} finally {
			await environment.stop();
		}
	},
};
