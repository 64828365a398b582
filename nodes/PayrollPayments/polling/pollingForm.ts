import type { INodeProperties } from 'n8n-workflow';

import { noticeOf, propertiesOf, titleOf } from '../forms/field';
import { EVENTS, eventField } from './eventKinds';

/* Evaluated by the build, so that n8n loads the node without what polls. */
export const properties: INodeProperties[] = [
	noticeOf(
		'firstCheckNotice',
		'When you publish a workflow that was off, the first check only remembers how things are. Later ones start it if something has changed since.',
	),
	...propertiesOf({ event: eventField }),
	...Object.entries(EVENTS).flatMap(([event, { fields }]) =>
		propertiesOf(fields, { event: [event] }),
	),
	...Object.entries(EVENTS).flatMap(([event, { notice }]) =>
		notice === undefined ? [] : [noticeOf(`${event}Notice`, notice, { event: [event] })],
	),
];

const names = Object.fromEntries(Object.keys(EVENTS).map((event) => [event, titleOf(event)]));

/** The line under the node on the canvas: the event as the menu names it. */
export const subtitle = `={{ (${JSON.stringify(names)})[$parameter.event] }}`;
