import type { INode } from 'n8n-workflow';

import { createInvites } from '../../../nodes/PayrollPayments/operations/invite/create';
import { outputItems } from '../../../nodes/PayrollPayments/run/output';
import { refused, type Row } from '../../../nodes/PayrollPayments/run/rows';
import { UserError } from '../../../nodes/PayrollPayments/shared/errors';
import { Redactor } from '../../../nodes/PayrollPayments/shared/redaction';

const NODE: INode = {
	...{ id: '1', name: 'Invite', type: 'payrollPayments', typeVersion: 1, position: [0, 0] },
	parameters: {},
};

it('doesn’t read all rows again for each that failed, which would block n8n', () => {
	let reads = 0;
	const rows = Array.from({ length: 2_000 }, (_, item): Row => {
		const { state, ...row } = refused([item], new UserError('email is missing'));
		return {
			...row,
			get state() {
				reads++;
				return state;
			},
		};
	});
	const output = outputItems(NODE, createInvites, rows, new Redactor());
	expect(output[0]?.json.hint).toBe('Nothing was signed or sent.');
	expect(reads).toBeLessThan(20 * rows.length);
});
