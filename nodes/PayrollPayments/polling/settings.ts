import type { IPollFunctions } from 'n8n-workflow';

import { z } from 'zod';
import { Refusal } from '../shared/errors';
import { identifier } from '../shared/identifier';
import { oneOf } from '../shared/menu';
import { BALANCE_CURRENCIES } from '../shared/money';

/** The labels are those of the menu in description.ts. */
const EVENTS = {
	balanceChanged: 'Balance Changed',
	inviteAdded: 'Invite Added',
	inviteEnded: 'Invite Ended',
	teamUserAdded: 'Team User Added',
	teamUserChanged: 'Team User Changed',
};

export type PollEvent = keyof typeof EVENTS;

/** What to watch. */
export interface PollSettings {
	readonly event: PollEvent;
	/** The team, company or user. */
	readonly entityId: string;
	/** Empty for all. */
	readonly currencies: readonly string[];
	readonly minimumChangeCents: number;
}

const currencies = z.preprocess(
	(value) =>
		typeof value === 'string'
			? value
					.split(/[,;\n]/)
					.map((entry) => entry.trim())
					.filter(Boolean)
			: (value ?? []),
	z.array(
		z.enum(BALANCE_CURRENCIES, {
			errorMap: () => ({ message: `must be from ${BALANCE_CURRENCIES.join(', ')}` }),
		}),
		{ invalid_type_error: 'must be a list, or text separated by commas' },
	),
);

const WHOLE_CENTS = 'must be a whole number of cents, 0 or more, e.g. 12500 for $125.00';

const minimumChangeCents = z.preprocess(
	(value) => (typeof value === 'string' && /^\s*\d+\s*$/.test(value) ? Number(value) : value),
	z
		.number({ invalid_type_error: WHOLE_CENTS, required_error: WHOLE_CENTS })
		.nonnegative(WHOLE_CENTS)
		.refine(Number.isSafeInteger, WHOLE_CENTS),
);

function refuse(field: string, label: string, what: string): never {
	throw new Refusal(`${label} ${what}`, {
		field,
		hint: 'Correct the field, then publish the workflow again.',
	});
}

/**
 * Reads the trigger's parameters.
 * @throws {Refusal} that names the field by its label
 */
export function readSettings(context: IPollFunctions): PollSettings {
	const valueOf = (name: string, label: string): unknown => {
		try {
			return context.getNodeParameter(name, undefined);
		} catch (error) {
			const reason = error instanceof Error ? error.message : String(error);
			return refuse(name, label, `can't be evaluated: ${reason}`);
		}
	};
	const parameter = <Value>(
		name: string,
		label: string,
		schema: z.ZodType<Value, z.ZodTypeDef, unknown>,
	): Value => {
		const read = schema.safeParse(valueOf(name, label));
		return read.success
			? read.data
			: refuse(name, label, read.error.issues[0]?.message ?? "isn't valid");
	};

	const watched = parameter('event', 'Trigger On', oneOf<PollEvent>(EVENTS));
	const everything = { event: watched, currencies: [], minimumChangeCents: 0 };
	switch (watched) {
		case 'balanceChanged':
			return {
				event: watched,
				entityId: parameter('entityId', 'Team, Company or User ID', identifier('te', 'co', 'us')),
				currencies: readCurrencies(
					parameter('currencies', 'Currencies', currencies),
					context.getNode().parameters.currencies,
				),
				minimumChangeCents: parameter(
					'minimumChangeCents',
					'Minimum Change (Cents)',
					minimumChangeCents,
				),
			};
		case 'inviteAdded':
		case 'inviteEnded':
			return {
				...everything,
				entityId: parameter('entityId', 'Team or Company ID', identifier('te', 'co')),
			};
		case 'teamUserAdded':
		case 'teamUserChanged':
			return { ...everything, entityId: parameter('teamId', 'Team ID', identifier('te')) };
	}
}

/** An expression that finds no currency must not widen the watch to all of them. */
function readCurrencies(chosen: readonly string[], saved: unknown): readonly string[] {
	const isExpression = [saved].flat().some((entry) => String(entry).startsWith('='));
	if (chosen.length === 0 && isExpression) {
		refuse('currencies', 'Currencies', 'is an expression that resolved to nothing');
	}
	return [...new Set(chosen)].sort();
}
