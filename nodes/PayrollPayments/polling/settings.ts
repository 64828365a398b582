import type { IPollFunctions } from 'n8n-workflow';

import { readFields, titleOf } from '../forms/field';
import { choice } from '../forms/fieldTypes';
import { UserError, wrapError } from '../shared/errors';
import { balanceChanged } from './balanceChanged';
import { inviteAdded, inviteEnded } from './invites';
import type { ChangeKind, Watch } from './snapshots';
import { teamUserAdded, teamUserChanged } from './teamUsers';

/** The events of the menu *Trigger On*, in the order of their names. */
export const EVENTS = {
	balanceChanged,
	inviteAdded,
	inviteEnded,
	teamUserAdded,
	teamUserChanged,
};

export type PollEvent = keyof typeof EVENTS;

function menuOptions<Value extends string>(
	events: Readonly<Record<Value, ChangeKind>>,
): Array<{ readonly name: string; readonly value: Value; readonly description: string }>;
function menuOptions(events: Readonly<Record<string, ChangeKind>>) {
	return Object.entries(events).map(([value, { name, description }]) => ({
		name,
		value,
		description,
	}));
}

export const eventField = choice(
	{ label: 'Trigger On', description: 'The change that starts the workflow' },
	menuOptions(EVENTS),
	'balanceChanged',
);

/** What a trigger tells, and of what. */
export interface PollSettings {
	readonly event: PollEvent;
	readonly watch: Watch;
}

const HINT = 'Correct the field, then publish the workflow again.';

function unevaluated(name: string, error: unknown): UserError {
	const reason = error instanceof Error ? error.message : String(error);
	return new UserError(`${titleOf(name)} can't be evaluated: ${reason}`, { field: name });
}

/**
 * Reads the trigger's parameters.
 * @throws {UserError} that names the field by its label
 */
export function readSettings(context: IPollFunctions): PollSettings {
	const source = {
		read: (name: string): unknown => {
			try {
				return context.getNodeParameter(name, undefined);
			} catch (error) {
				throw unevaluated(name, error);
			}
		},
		readSaved: (name: string): unknown => context.getNode().parameters[name],
	};
	try {
		const { event } = readFields({ event: eventField }, source);
		return { event, watch: EVENTS[event].readWatch(source) };
	} catch (error) {
		throw error instanceof UserError ? wrapError(error, error.message, { hint: HINT }) : error;
	}
}
