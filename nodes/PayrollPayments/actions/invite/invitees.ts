import type { INodeProperties } from 'n8n-workflow';

import { z } from 'zod';
import { email } from '../../shared/email';
import { Refusal } from '../../shared/errors';
import type { Field } from '../fields/field';
import { json } from '../fields/kinds';

/** The 14 fields of a prefill, in the service's order (docs/api.md, Invite prefill). */
const PREFILL_FIELDS = [
	'first_name',
	'middle_name',
	'last_name',
	'phone',
	'company_name',
	'job_title',
	'company_size',
	'company_website',
	'company_industry',
	'company_address',
	'company_city',
	'company_state',
	'company_zip',
	'company_country',
] as const;

/** One person to be invited, as the service takes it. */
export interface Invitee {
	readonly email: string;
	readonly prefill?: Readonly<Record<string, string>>;
}

function camelCase(name: string): string {
	return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function titleOf(name: string): string {
	return name
		.split('_')
		.map((word) => (word === 'zip' ? 'ZIP' : word.charAt(0).toUpperCase() + word.slice(1)))
		.join(' ');
}

/** A cell of a sheet: text, or a number that a sheet made of digits. */
const cell = z
	.union([z.string(), z.number(), z.boolean(), z.null(), z.undefined()], {
		errorMap: () => ({ message: 'must be text' }),
	})
	.transform((value) => (value === null || value === undefined ? '' : String(value)));

/** Address and prefill in one flat row, in the service's spelling or in camelCase. */
const row = z.record(z.unknown()).transform((columns, context): Invitee => {
	const address = email.safeParse(columns.email);
	if (!address.success) {
		for (const issue of address.error.issues) context.addIssue({ ...issue, path: ['email'] });
		return z.NEVER;
	}
	const prefill: Record<string, string> = {};
	for (const name of PREFILL_FIELDS) {
		const value = cell.safeParse(columns[name] ?? columns[camelCase(name)]);
		if (!value.success) {
			context.addIssue({ code: 'custom', message: 'must be text', path: [name] });
			return z.NEVER;
		}
		prefill[name] = value.data;
	}
	const isBegun = Object.values(prefill).some((value) => value.trim() !== '');
	return isBegun ? { email: address.data, prefill } : { email: address.data };
});

/** The service's own form; a prefill that is begun is completed with empty text. */
const documentedInvitee = z
	.object({
		email,
		prefill: z
			.object(Object.fromEntries(PREFILL_FIELDS.map((name) => [name, cell])))
			.strict()
			.optional(),
	})
	.strict();

/** Refuses the same address twice: who is meant, and with which prefill, would be open. */
function withoutRepeats<Schema extends z.ZodType<Invitee[], z.ZodTypeDef, unknown>>(list: Schema) {
	return list.superRefine((invitees, context) => {
		const seen = new Map<string, number>();
		invitees.forEach((invitee, index) => {
			const first = seen.get(invitee.email.toLowerCase());
			seen.set(invitee.email.toLowerCase(), first ?? index);
			if (first === undefined) return;
			context.addIssue({
				code: 'custom',
				path: [index, 'email'],
				message: `is the same as in entry ${first + 1}`,
			});
		});
	});
}

function prefillProperties(): INodeProperties[] {
	return PREFILL_FIELDS.map(
		(name): INodeProperties => ({
			displayName: titleOf(name),
			name: camelCase(name),
			type: 'string',
			default: '',
		}),
	).sort((a, b) => a.displayName.localeCompare(b.displayName, 'en'));
}

/** Invitees filled in on the form. */
export function inviteesOnForm(): Field<Invitee[]> {
	return {
		form: {
			displayName: 'Invitees',
			type: 'fixedCollection',
			typeOptions: {
				multipleValues: true,
				hideOptionalFields: true,
				addOptionalFieldButtonText: 'Add Prefill Field',
			},
			placeholder: 'Add Invitee',
			default: { invitee: [{ email: '' }] },
			description: 'People to invite; what is filled in beside the address prefills their sign-up',
			options: [
				{
					displayName: 'Invitee',
					name: 'invitee',
					values: [
						{
							/* n8n's rules want the labels in order, people want the address first. */
							displayName: 'Address (Email)',
							name: 'email',
							type: 'string',
							required: true,
							placeholder: 'name@email.com',
							default: '',
						},
						...prefillProperties(),
					],
				},
			],
		},
		schema: z
			.unknown()
			.transform((value) => {
				const collection = z.object({ invitee: z.unknown() }).safeParse(value);
				return collection.data?.invitee ?? [];
			})
			.pipe(withoutRepeats(z.array(row).min(1, 'is empty; add at least one invitee'))),
		required: true,
	};
}

/** Invitees as JSON in the service's form. */
export function inviteesAsJson(): Field<Invitee[]> {
	return json(
		{
			label: 'Invitees (JSON)',
			description: 'List of invitees with email and, optionally, prefill',
		},
		withoutRepeats(
			z
				.array(documentedInvitee, { invalid_type_error: 'must be a JSON list' })
				.min(1, 'is empty; add at least one invitee'),
		),
		'[{ "email": "ana@example.com" }]',
	);
}

/**
 * The invitee that one input item describes.
 * @throws {Refusal} that names the column
 */
export function inviteeOfRow(columns: Readonly<Record<string, unknown>>): Invitee {
	const invitee = row.safeParse(columns);
	if (invitee.success) return invitee.data;
	const issue = invitee.error.issues[0];
	const column = String(issue?.path[0] ?? 'email');
	throw new Refusal(`Column ${column} ${issue?.message ?? 'is not valid'}`, {
		field: column,
		hint: 'Correct this row and run the node again; each row needs a column email. Nothing was sent.',
	});
}
