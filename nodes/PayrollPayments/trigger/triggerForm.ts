import type { IBuilderHint, INodeProperties, TriggerPanelDefinition } from 'n8n-workflow';

import { EVENT_NAMES } from '../contract/events';
import { noticeOf, propertiesOf } from '../forms/field';
import { parameters } from './fields';

/* Evaluated by the build, so that n8n loads the node without what reads its fields. */
export const properties: INodeProperties[] = [
	noticeOf(
		'registrationNotice',
		'Copy the test URL, later the production URL, from <b>Webhook URLs</b> above into the webhook settings of the service’s dashboard, and the signing secret from there into the credential. n8n can’t register the webhook for you.',
	),
	...propertiesOf(parameters),
];

/** "Deposit Received" for `deposit.received`: `nameOfEvent` as an expression. */
const inWords = '.replace(/[._]/g, " ").replace(/\\b[a-z]/g, (letter) => letter.toUpperCase())';
const events = '[$rawParameter.events].flat()';
const only = `String(${events}[0] ?? "")`;

/**
 * The expression for the line under the node on the canvas: "Deposit Received", "7 events" or "Any
 * event". It doesn't evaluate the field's own expression, which may fail before the workflow runs.
 */
export const subtitle = `={{ ${events}.includes("*") ? ${JSON.stringify(EVENT_NAMES['*'])} : ${events}.length > 1 ? ${events}.length + " events" : ${only}.startsWith("=") ? "Events from an expression" : (${JSON.stringify(EVENT_NAMES)})[${only}] ?? ${only}${inWords} }}`;

const toTest =
	'<b>To test</b>, click Execute step, then send a delivery to the test URL, e.g. with Webhook: Send Test while the test URL is registered in the service’s dashboard.';

export const triggerPanel: TriggerPanelDefinition = {
	header: 'Receive an event from the service',
	executionsHelp: {
		inactive: `${toTest}<br /><br /><b>To go live</b>, publish the workflow and register the production URL in the service’s dashboard. Its executions show up in the executions list, but not in the editor.`,
		active: `${toTest}<br /><br /><b>The workflow is published</b>: deliveries to the production URL start it. These executions show up in the <a data-key="executions">executions list</a>, but not in the editor.`,
	},
	activationHint:
		'When the workflow is ready, publish it and copy the production URL from Webhook URLs into the service’s dashboard. n8n can’t register it for you.',
};

/** For n8n's own assistant when it builds a workflow. */
export const builderHint: IBuilderHint = {
	searchHint:
		'The user must copy the production URL into the service’s dashboard by hand. Keep Authentication on Webhook Credentials. The funds of a deposit are available once it is complete (depositStatuses: complete); to see reversals, add reverted. Use output: simplified for sheets and messages: its amounts come as decimal text and in cents. Write deposits to sheets with Append or Update on deposit_id, and let only a newer updated_at change a row.',
};
