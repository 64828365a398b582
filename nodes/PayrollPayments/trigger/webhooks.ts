import type { INodeParameters, IWebhookDescription } from 'n8n-workflow';

/** A field of the webhook's description that depends on `acknowledge`, in both forms that n8n reads. */
function whenFinished(finished: string, received: string) {
	const condition = '$parameter["options"]["acknowledge"] === "finished"';
	return {
		template: `={{ ${condition} ? ${JSON.stringify(finished)} : ${JSON.stringify(received)} }}`,
		resolve: ({ options }: INodeParameters) =>
			Object(options).acknowledge === 'finished' ? finished : received,
	};
}

/**
 * With `onReceived` and empty `responseData`, n8n sends what `receive` returns; with `lastNode` and
 * `noData`, a 200 without a body, or a 500 (webhook-helpers.ts in n8n). `receive` itself answers a
 * delivery that starts no execution.
 */
const fields = {
	responseMode: whenFinished('lastNode', 'onReceived'),
	responseData: whenFinished('noData', ''),
};

/**
 * n8n 2.41 reads the functions under this symbol instead of the expressions, as long as the node's
 * parameters hold none. That spares each delivery its expression engine, which is slow
 * (webhook-description-fields.ts in n8n).
 */
const RESOLVERS = Symbol.for('n8n.webhookDescriptionResolvers');

export const webhooks: IWebhookDescription[] = [
	{
		name: 'default',
		httpMethod: 'POST',
		path: 'webhook',
		responseMode: fields.responseMode.template,
		responseData: fields.responseData.template,
		[RESOLVERS]: fields,
	},
];
