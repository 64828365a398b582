import { z } from 'zod';

import { instantPaymentAnswer } from '../../api/schemas/answers';
import { isCheckOnly, readOptions } from '../commonOptions';
import { defineOperation } from '../defineOperation';

import { checkPayments } from './checkPayments';
import { checkOutput, fields, options } from './fields';
import { paymentOutcome, runCheck } from './outputs';

/** docs/api.md, Endpoint 10. */
export const createInstantPayment = defineOperation({
	resource: 'payment',
	operation: 'create',
	name: 'Create Instant',
	action: 'Create instant payment',
	description: "Pay an external recipient right away. This moves money and can't be undone.",
	effect: 'write',
	permission: 'sendPayments',
	movesMoney: true,
	notice:
		"This moves money and can't be undone. The same payment is sent only once, even if the node runs again.",
	fields,
	options,
	/* `already_sent` is there if Retry On Fail ran the item again after the payment was made. */
	output: z.union([
		instantPaymentAnswer.extend({ already_sent: z.literal(true).optional() }),
		paymentOutcome,
	]),
	otherOutputs: [runCheck],
	isRunCheck: (item) =>
		isCheckOnly(item.readSaved('options')) &&
		readOptions({ checkOutput }, item).checkOutput === 'run',
	checkAll: checkPayments,
});
